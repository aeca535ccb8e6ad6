// Our HTTP client with our own server, over a socket and without one.
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Listening, listen, MemoryEvents } from '../../src/node.js'
import { routingHeaders } from '../../src/revisions/param-headers/write-headers.js'
import type { Revision } from '../../src/revisions/revision.js'
import { type HttpEndpointOptions, sseEndpoint } from '../../src/transports/http/client/http-endpoint.js'
import { rid } from '../garbage.js'
import { call, fixture, initialize, initialized, selfDescribing } from './fixture.js'
import { carriers, type Dialled, dial, modern, revisionOf, until } from './http-client-fixture.js'

const { app, seen } = fixture({ secret: 'a secret that two replicas share' })
let listening: Listening
beforeAll(async () => {
  listening = await listen(app, { port: 0, signals: false, legacySse: true, events: new MemoryEvents() })
})
afterAll(() => listening.close())

const withoutSocket: HttpEndpointOptions = { fetch: (request) => app.fetch(request) }
const everywhere: readonly [string, HttpEndpointOptions][] = [...carriers, ['no socket at all', withoutSocket]]
const legacy = ['2025-03-26', '2025-06-18', '2025-11-25'].map(revisionOf)

function say({ link }: Dialled, message: { id?: unknown; method: string; params?: object }, revision: Revision): void {
  const { id, method } = message
  const written = revision === modern ? selfDescribing(message as { params?: object }) : message
  link.send({
    text: JSON.stringify(written),
    method,
    revision,
    ...(typeof id === 'number' && { id }),
    ...(revision.http.mirrored && { mirrored: routingHeaders(method, message.params as Parameters<typeof routingHeaders>[1]) }),
  })
}

async function handshake(dialled: Dialled, revision: Revision): Promise<void> {
  say(dialled, initialize(revision.version, {}, 1), revision)
  expect(await dialled.listener.answer(1)).toMatchObject({ result: { protocolVersion: revision.version } })
  say(dialled, initialized, revision)
  await dialled.link.settled(revision)
}

describe.each(everywhere)('over %s', (_name, options) => {
  it.each(legacy)('works with our own server: $version', async (revision) => {
    const dialled = await dial(new URL(listening.url), options)
    await handshake(dialled, revision)
    say(dialled, call(2, 'echo', { text: 'hello' }), revision)
    expect(await dialled.listener.answer(2)).toMatchObject({ result: { content: [{ text: 'hello' }] } })
    say(dialled, call(3, 'slow', { ms: 30 }, { _meta: { progressToken: 'p' } }), revision)
    await dialled.listener.answer(3)
    expect(dialled.listener.messages.filter(({ kind }) => kind === 'notification').length).toBeGreaterThan(0)
    await dialled.link.close()
    expect([dialled.listener.losses, dialled.listener.warnings]).toEqual([[], []])
  })

  it('works with our own server: 2026-07-28, which cancels by closing the connection', async () => {
    const dialled = await dial(new URL(listening.url), options)
    for (let id = 1; id < 20; id++) say(dialled, call(id, 'echo', { text: String(id) }), modern)
    for (let id = 1; id < 20; id++)
      expect(await dialled.listener.answer(id)).toMatchObject({ result: { content: [{ text: String(id) }] } })
    const { begun, cancelled } = seen
    say(dialled, call(20, 'slow', { ms: 5_000 }), modern)
    await until(() => seen.begun > begun)
    dialled.link.drop(20)
    await until(() => seen.cancelled > cancelled)
    expect([dialled.listener.losses, dialled.listener.warnings]).toEqual([[], []])
  })
})

// This runs after many calls, so that optimized code holds no unnecessary references.
it('a request over a given fetch is aborted even after garbage collection', async () => {
  const dialled = await dial(new URL(listening.url), { fetch: (request) => fetch(request) })
  for (let id = 1; id <= 1_600; id++) {
    say(dialled, call(id, 'echo', { text: 'x' }), modern)
    if (id % 40 === 0) await dialled.listener.answer(id)
  }
  const { begun, cancelled } = seen
  say(dialled, call(2_000, 'slow', { ms: 5_000 }), modern)
  await until(() => seen.begun > begun)
  await rid() // unreferenced requests
  dialled.link.drop(2_000)
  await until(() => seen.cancelled > cancelled)
})

it.each(carriers)('HTTP+SSE works with our own server over %s', async (_name, options) => {
  const dialled = await dial(new URL('/sse', listening.url), options, sseEndpoint)
  const revision = revisionOf('2024-11-05')
  await handshake(dialled, revision)
  say(dialled, call(2, 'echo', { text: 'hello' }), revision)
  expect(await dialled.listener.answer(2)).toMatchObject({ result: { content: [{ text: 'hello' }] } })
  expect([dialled.listener.losses, dialled.listener.warnings]).toEqual([[], []])
})
