// The log lines about servers that start, exit and fail.
import { expect, it } from 'vitest'
import { child, client, eventually, program, started, until, upstreamConfig } from '../support/running-gateway.js'
import { notes } from '../support/upstream-configs.js'

const entries = () => {
  const all: { level: string; message: string }[] = []
  const about = (id: string) =>
    all.filter(({ level, message }) => level !== 'debug' && message.startsWith(id)).map(({ message }) => message)
  return { about, onLog: (entry: { level: string; message: string }) => void all.push(entry) }
}

it('a started server is one line, with its tools and the duration', async () => {
  const { about, onLog } = entries()
  await started({ upstreams: [notes()] }, { onLog })
  await until(() => about('notes').length > 0)
  expect(about('notes')).toEqual([expect.stringMatching(/^notes is ready: \d+ tools, after \d+\.\d s$/)])
})

it('an exit and a restart of a server are a line each', async () => {
  const { about, onLog } = entries()
  const gateway = await started({ upstreams: [notes()] }, { onLog })
  const one = await client(gateway.url)
  await until(() => about('notes').length === 1)
  const { content } = await one.call('notes__pid')
  process.kill(Number((content[0] as { text: string }).text), 'SIGKILL') // the tool returns it
  await until(() => about('notes').length === 3)
  expect(about('notes').slice(1)).toEqual([
    expect.stringMatching(/^notes is not available, and is retried automatically: /),
    expect.stringMatching(/^notes is ready again: \d+ tools, after \d+\.\d s$/),
  ])
})

it('a server that cannot be started is one line, however often it is tried', async () => {
  const { about, onLog } = entries()
  const gateway = await started({ upstreams: [upstreamConfig('nobody', child(program('no-such-server.mjs')))] }, { onLog })
  const tries = () => gateway.control.servers()[0]?.state
  await eventually(() => tries() === 'broken', 60_000)
  expect(about('nobody')).toEqual([expect.stringMatching(/^nobody is not available, and is retried automatically: /)])
  expect(about('nobody')[0]).not.toContain('\u001b')
})
