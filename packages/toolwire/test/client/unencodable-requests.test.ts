// Requests that cannot be serialized because of a value from their caller.
import { expect, it } from 'vitest'
import type { JsonObject } from '../../src/json.js'
import { RpcError } from '../../src/jsonrpc/error.js'
import { connectScripted, plainTool, textResult, toolsPage } from './scripted.js'

const cycle: JsonObject = {}
cycle.self = cycle
const boom = () => {
  throw new Error('boom')
}
const unwritable: Readonly<Record<string, JsonObject>> = {
  'a cycle': cycle,
  'a getter that throws': Object.defineProperty({}, 'x', { get: boom, enumerable: true }),
  'a toJSON that throws': { toJSON: boom } as unknown as JsonObject, // deliberately not JSON
}

it.each(Object.entries(unwritable))('%s fails the request, and leaves no trace of it', async (_, params) => {
  const unhandled: unknown[] = []
  const note = (reason: unknown) => unhandled.push(reason)
  process.on('unhandledRejection', note)
  const signal = new AbortController()
  const { client, server } = await connectScripted(
    { 'tools/list': toolsPage([plainTool('echo')]), 'tools/call': textResult('hi') },
    { revision: '2025-11-25', options: { limits: { idleMs: 800, totalMs: 1_000 } } },
  )
  await expect(client.request('vendor/x', params, { signal: signal.signal })).rejects.toThrow()
  await expect(client.call('echo', params)).rejects.toThrow()
  signal.abort()
  await new Promise((resolve) => setTimeout(resolve, 150))
  process.off('unhandledRejection', note)
  expect(unhandled).toEqual([])
  expect(server.received('notifications/cancelled')).toEqual([])
  await expect(client.call('echo')).resolves.toMatchObject({ isError: false })
})

it.each(
  Object.entries(unwritable),
)('%s in an answer or in an error becomes an error response to the server', async (_, value) => {
  const model = async () => ({ role: 'assistant', model: 'm', content: { type: 'text', text: 'hi' }, extra: value })
  const roots = () => Promise.reject(new RpcError(-31_001, 'no roots', { data: value }))
  const { client, server } = await connectScripted(
    { 'tools/list': toolsPage([plainTool('echo')]), 'tools/call': textResult('hi') },
    { revision: '2025-11-25', options: { answers: { model, roots } } },
  )
  const internal = { error: { code: -32_603 } }
  expect(await server.ask('q1', 'sampling/createMessage', { messages: [], maxTokens: 1 })).toMatchObject(internal)
  expect(await server.ask('q2', 'roots/list')).toMatchObject(internal)
  await expect(client.call('echo')).resolves.toMatchObject({ isError: false })
})

it('a signal that throws fails the call, without an unhandled rejection at the end of the connection', async () => {
  const unhandled: unknown[] = []
  const note = (reason: unknown) => unhandled.push(reason)
  process.on('unhandledRejection', note)
  const signal = { aborted: false, addEventListener: boom, removeEventListener: () => undefined } as unknown as AbortSignal
  const { client } = await connectScripted(
    { 'tools/list': toolsPage([plainTool('echo')]), 'tools/call': textResult('hi') },
    { revision: '2025-11-25' },
  )
  await expect(client.request('vendor/x', {}, { signal })).rejects.toThrow('boom')
  await expect(client.call('echo', {}, { signal })).rejects.toThrow('boom')
  await client.close()
  await new Promise((resolve) => setImmediate(resolve))
  process.off('unhandledRejection', note)
  expect(unhandled).toEqual([])
})
