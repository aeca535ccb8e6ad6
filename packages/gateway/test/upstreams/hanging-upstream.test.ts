// The queues of calls are separate for each upstream.
import { expect, it } from 'vitest'
import { defaultGuard } from '../../src/config/gateway-config.js'
import { child, client, program, started, until, upstreamConfig, words } from '../support/running-gateway.js'

const upstream = (id: string) => upstreamConfig(id, child(program('notes-server.mjs')), { trusted: true })
const guard = { ...defaultGuard, approvals: false, pins: false, rate: false, inFlightUpstream: 4, queue: 3 } as const

it('an upstream that hangs with its queue full blocks neither the calls nor the queue of another one', async () => {
  const gateway = await started({ upstreams: [upstream('stuck'), upstream('notes')], guard })
  const caller = await client(gateway.url)
  const ended: string[] = []
  const hung = Array.from({ length: 6 }, async () => {
    ended.push(await caller.call('stuck__slow', { ms: 600_000 }).then(words, String))
  })
  // The sixth call is refused, so the others are running or queued.
  await until(() => ended.length === 1)
  expect(ended[0]).toMatch(/Too many requests at once: 3 wait already/)
  expect(words(await caller.call('notes__read'))).toBe('nothing')
  // Two run at once, because one caller has half of the places, and three are queued.
  const others = Array.from({ length: 5 }, () => caller.call('notes__slow', { ms: 200 }))
  expect((await Promise.all(others)).map(words)).toEqual(Array(5).fill('done'))
  expect(ended).toHaveLength(1)
  await gateway.close({ drainMs: 0 })
  await Promise.all(hung)
})
