// Calls that are cancelled by their caller.
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { PassThrough } from 'node:stream'
import { describe, expect, it } from 'vitest'
import { CancelSource } from '../../src/bounds/cancel-token.js'
import { connect } from '../../src/client/index.js'
import { RpcError } from '../../src/index.js'
import type { Json, JsonObject } from '../../src/json.js'
import type { Endpoint } from '../../src/peer/client-transport.js'
import { every, until } from '../revisions.js'
import { expectWithin } from '../soak.js'
import { linesEndpoint } from '../transports/lines-endpoint.js'
import { modern } from './questions.js'
import { connectScripted, plainTool, type ScriptedSession, scriptedEndpoint, silence, textResult, toolsPage } from './scripted.js'

const listed = { 'tools/list': toolsPage([plainTool('work')]) }
const cancelled = 'notifications/cancelled'

/** A pending call that the server has received. */
async function calling({ client, server }: ScriptedSession) {
  const stop = new AbortController()
  const call = client.call('work', {}, { signal: stop.signal })
  await expect.poll(() => server.received('tools/call')).toHaveLength(1)
  return { call, stop, id: server.received('tools/call')[0]?.id as number }
}

describe.each(every)('%s', (revision) => {
  it('CANC-001 stops waiting at once, and notifies the server', async () => {
    const made = await connectScripted({ ...listed, 'tools/call': silence }, { revision })
    const { call, stop, id } = await calling(made)
    const began = performance.now()
    stop.abort(new Error('enough'))
    await expect(call).rejects.toMatchObject({ name: 'CallFailure', code: 'cancelled', cause: new Error('enough') })
    expectWithin(performance.now() - began, 200)
    await expect.poll(() => made.server.received(cancelled)).toHaveLength(1)
    expect(made.server.received(cancelled)[0]?.params).toMatchObject({ requestId: id })
  })

  it('CANC-001 accepts objects that imitate an AbortSignal', async () => {
    const made = await connectScripted({ ...listed, 'tools/call': silence }, { revision })
    const stop = new CancelSource()
    const call = made.client.call('work', {}, { signal: stop })
    await expect.poll(() => made.server.received('tools/call')).toHaveLength(1)
    stop.abort(new Error('enough'))
    await expect(call).rejects.toMatchObject({ code: 'cancelled', cause: new Error('enough') })
    await expect.poll(() => made.server.received(cancelled)).toHaveLength(1)
  })

  it('CANC-002 sends no cancellation for a call that is over or was never sent', async () => {
    const { client, server } = await connectScripted({ ...listed, 'tools/call': textResult('done') }, { revision })
    const stop = new AbortController()
    await client.call('work', {}, { signal: stop.signal })
    stop.abort()
    await expect(client.call('work', {}, { signal: stop.signal })).rejects.toMatchObject({ code: 'cancelled' })
    await client.ping().catch((thrown) => expect(thrown).toBeInstanceOf(RpcError))
    expect(server.received('tools/call')).toHaveLength(1)
    expect(server.received(cancelled)).toEqual([])
  })

  it('CANC-002 has no way to cancel a request by its id', async () => {
    const { client, server } = await connectScripted(listed, { revision })
    expect(() => client.notify(cancelled, { requestId: 4_711 })).toThrow(TypeError)
    await client.listTools()
    expect(server.received(cancelled)).toEqual([])
  })

  it('CANC-007 ignores cancellations that are malformed or name no pending request', async () => {
    const made = await connectScripted({ ...listed, 'tools/call': silence }, { revision })
    const { call, stop, id } = await calling(made)
    const { server, frames } = made
    const before = frames.filter(({ from }) => from === 'client').length
    const odd: Json[] = [{}, [], null, true, 1.5, -1, 10 ** 15, '', 'unknown', String(id), 'x'.repeat(10_000)]
    for (const requestId of odd) server.notify(cancelled, { requestId })
    for (const params of [{}, { requestId: id, reason: { a: 1 } }]) server.notify(cancelled, params)
    server.notify(cancelled)
    server.say({ id, result: textResult('done') })
    await expect(call).resolves.toMatchObject({ content: [{ text: 'done' }] })
    stop.abort()
    expect(frames.filter(({ from }) => from === 'client')).toHaveLength(before)
  })

  it('CANC-008 settles every call exactly once when a result and a cancellation race', async () => {
    const { client, server } = await connectScripted(
      {
        ...listed,
        'tools/call': async () => {
          await new Promise((resolve) => setTimeout(resolve, Math.random() * 10))
          return textResult('done')
        },
      },
      { revision },
    )
    const race = async () => {
      const stop = new AbortController()
      const call = client.call('work', {}, { signal: stop.signal })
      setTimeout(() => stop.abort(), Math.random() * 10)
      return call.then(
        () => 'done',
        ({ code }) => code as string,
      )
    }
    const ends = await Promise.all(Array.from({ length: 200 }, race))
    expect(ends.filter((end) => end !== 'done' && end !== 'cancelled')).toEqual([])
    expect(server.received(cancelled).length).toBeLessThanOrEqual(ends.filter((end) => end === 'cancelled').length)
  })

  it('CANC-009 drops a result that arrives after the cancellation', async () => {
    const made = await connectScripted({ ...listed, 'tools/call': silence }, { revision })
    const { call, stop, id } = await calling(made)
    stop.abort()
    await expect(call).rejects.toMatchObject({ code: 'cancelled' })
    await expect.poll(() => made.server.received(cancelled)).toHaveLength(1)
    const before = made.server.sent.length
    made.server.say({ id, result: textResult('late') })
    made.server.say({ id, error: { code: 1, message: 'late' } })
    await expect(call).rejects.toMatchObject({ code: 'cancelled' })
    await made.client.listTools({ fresh: true })
    expect(made.server.sent).toHaveLength(before + 1)
    expect(made.warnings).toEqual(expect.arrayContaining([expect.stringMatching(/matches no pending request/)]))
  })
})

describe.each(until('2025-11-25'))('%s, with a handshake', (revision) => {
  it('CANC-003 closes the connection instead of cancelling the handshake', async () => {
    const { endpoint, server } = scriptedEndpoint({ initialize: silence }, { revision })
    let closed = 0
    const watched: Endpoint = {
      ...endpoint,
      dial: async (listener) => {
        const link = await endpoint.dial(listener)
        return {
          ...link,
          close: async () => {
            closed++
          },
        }
      },
    }
    const thrown = await connect(watched, { revision, limits: { idleMs: 30 } }).catch((error: unknown) => error)
    expect(thrown).toMatchObject({ name: 'CallFailure', code: 'timed_out' })
    expect(closed).toBeGreaterThan(0)
    expect(server.sent.map(({ method }) => method)).toEqual(['initialize'])
  })
})

describe(modern, () => {
  it.each([
    ['while a person is being asked', { inputRequests: { q: { method: 'roots/list' } } }],
    ['between two rounds', { requestState: 'wait' }],
  ])('CANC-001 stops waiting at once %s', async (_, more) => {
    const never = () => new Promise<never>(() => undefined)
    const { client, server } = await connectScripted(
      { ...listed, 'tools/call': { resultType: 'input_required', ...more } },
      { revision: modern, options: { answers: { roots: never } } },
    )
    const stop = new AbortController()
    const call = client.call('work', {}, { signal: stop.signal }).catch((thrown: unknown) => thrown)
    await expect.poll(() => server.received('tools/call').length).toBeGreaterThan(0)
    await new Promise((resolve) => setTimeout(resolve, 10))
    const sent = server.sent.length
    stop.abort()
    expect(await call).toMatchObject({ name: 'CallFailure', code: 'cancelled' })
    expect(server.sent).toHaveLength(sent)
  })

  it('CANC-004 cancels over HTTP by closing the connection, without a notification', async () => {
    const bodies: JsonObject[] = []
    let hungUp = 0
    const http = createServer((request, response) => {
      let text = ''
      request.on('data', (chunk) => {
        text += chunk
      })
      request.on('end', () => {
        bodies.push(JSON.parse(text))
        response.writeHead(200, { 'content-type': 'text/event-stream' }).flushHeaders()
      })
      response.on('close', () => hungUp++)
    })
    await new Promise<void>((resolve) => http.listen(0, '127.0.0.1', resolve))
    const { port } = http.address() as AddressInfo // the server listens on TCP
    await using client = await connect(`http://127.0.0.1:${port}/mcp`, { revision: modern, discover: false, listFirst: false })
    const stop = new AbortController()
    const call = client.call('work', {}, { signal: stop.signal })
    await expect.poll(() => bodies).toHaveLength(1)
    expect(hungUp).toBe(0)
    stop.abort()
    await expect(call).rejects.toMatchObject({ code: 'cancelled' })
    await expect.poll(() => hungUp).toBe(1)
    await new Promise((resolve) => setTimeout(resolve, 30))
    expect(bodies.map(({ method }) => method)).toEqual(['tools/call'])
    http.close()
  })

  it('CANC-004 cancels over pipes with a notification', async () => {
    const [toServer, toClient] = [new PassThrough(), new PassThrough()]
    const lines: JsonObject[] = []
    toServer.on('data', (chunk: Buffer) => {
      for (const line of chunk.toString().trim().split('\n')) lines.push(JSON.parse(line))
    })
    toServer.on('end', () => toClient.end())
    const endpoint = linesEndpoint(() => ({ readable: toClient, writable: toServer }), { name: 'pipes' })
    await using client = await connect(endpoint, { revision: modern, discover: false, listFirst: false })
    const stop = new AbortController()
    const call = client.call('work', {}, { signal: stop.signal })
    await expect.poll(() => lines).toHaveLength(1)
    stop.abort()
    await expect(call).rejects.toMatchObject({ code: 'cancelled' })
    await expect.poll(() => lines).toHaveLength(2)
    expect(lines[1]).toMatchObject({ method: cancelled, params: { requestId: lines[0]?.id } })
  })
})

describe('2025-11-25', () => {
  it('CANC-013 ignores a cancellation without a request id, which the schema allows', async () => {
    const made = await connectScripted({ ...listed, 'tools/call': silence }, { revision: '2025-11-25' })
    const { call, id } = await calling(made)
    const before = made.server.sent.length
    for (const params of [{}, { reason: 'why not' }]) made.server.notify(cancelled, params)
    made.server.say({ id, result: textResult('done') })
    await expect(call).resolves.toMatchObject({ isError: false })
    expect(made.server.sent).toHaveLength(before)
  })
})
