import { duplexPair, PassThrough } from 'node:stream'
import { text } from 'node:stream/consumers'
import { expect, it } from 'vitest'
import { HostSession } from '../../src/stdio/host-session.js'

it('a request that the host has cancelled gets no answer when the gateway ends, and others do', async () => {
  const [readable, writable] = [new PassThrough(), new PassThrough()]
  const session = new HostSession({ readable, writable })
  const [here, there] = duplexPair()
  const served = session.serveThrough(here)
  const call = (id: number | string) => ({ jsonrpc: '2.0', id, method: 'tools/call', params: { name: 'slow' } })
  const cancel = (requestId: number | string) => ({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId } })
  const messages = [call(1), call('1'), call(2), cancel(1), cancel(2), cancel(3)]
  for (const message of messages) readable.write(`${JSON.stringify(message)}\n`)
  for (let seen = 0; seen < messages.length; )
    seen += String((await there.iterator({ destroyOnReturn: false }).next()).value).split('\n').length - 1
  there.end()
  await served
  writable.end()
  const answers = (await text(writable)).trim().split('\n')
  expect(answers.map((line) => JSON.parse(line).id)).toEqual(['1'])
})
