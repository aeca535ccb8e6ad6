// Clients of every revision, and official SDKs, whose requests alternate between replicas.
import { Client as ClientV2, StreamableHTTPClientTransport as HttpV2 } from '@modelcontextprotocol/client'
import { Client as ClientV1 } from '@modelcontextprotocol/sdk/client/index.js'
import { SSEClientTransport } from '@modelcontextprotocol/sdk/client/sse.js'
import { StreamableHTTPClientTransport as HttpV1 } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import { ElicitRequestSchema } from '@modelcontextprotocol/sdk/types.js'
import type { Answering } from 'toolwire/relay'
import { describe, expect, it, onTestFinished } from 'vitest'
import { type ReplicaGateways, replicaGateways } from '../support/replica-gateways.js'
import { upstreamConfig } from '../support/running-gateway.js'
import { asking as askingRevisions, askingServer, client, revisions, words } from '../support/upstream-fixture.js'

const people: Answering = {
  form: ({ message }) =>
    message.endsWith('> Which color?')
      ? { action: 'accept', content: { color: 'red' } }
      : { action: 'accept', content: message.endsWith('> Which size?') ? { size: 7 } : { people: 4 } },
}

async function behind(revision?: string): Promise<ReplicaGateways & { readonly done: Record<string, number> }> {
  const { target, done } = await askingServer(revision, 'http')
  return { ...(await replicaGateways({ upstreams: [upstreamConfig('asking', target, { trusted: true })] })), done }
}

const isSpread = ({ sent }: ReplicaGateways) => sent.every((requests) => requests > 0)

describe.each(revisions)('a client of %s', (revision) => {
  it('calls tools on all replicas in turn', async () => {
    const fleet = await behind()
    const one = await client(fleet.url, { revision })
    for (let a = 0; a < 9; a++) expect(words(await one.call('asking__sum', { a, b: 1 }))).toContain(String(a + 1))
    expect(isSpread(fleet)).toBe(true)
  })
})

describe.each(askingRevisions)('a client of %s with an elicitation handler', (revision) => {
  it.each([
    '2025-11-25',
    '2026-07-28',
  ])('answers a question of a server of %s during a call at another replica', async (server) => {
    const fleet = await behind(server)
    const one = await client(fleet.url, { revision, answers: people })
    for (let call = 1; call <= 3; call++) {
      expect(words(await one.call('asking__book', { at: 'noon' }))).toBe('booked at noon for 4')
      expect(words(await one.call('asking__twice'))).toBe('red in 7')
      expect(fleet.done).toMatchObject({ begun: call, booked: call, chosen: call })
    }
    expect(isSpread(fleet)).toBe(true)
  })
})

const about = { name: 'other', version: '1.0.0' }
const capabilities = { elicitation: { form: {} } }
const four = { action: 'accept' as const, content: { people: 4 } }

const v1 = () => {
  const client = new ClientV1(about, { capabilities })
  client.setRequestHandler(ElicitRequestSchema, () => four)
  return client
}
const v2 = () => {
  const client = new ClientV2(about, { capabilities, versionNegotiation: { mode: 'auto' } })
  client.setRequestHandler('elicitation/create', () => four)
  // The SDK types differ only in their names here.
  return client as unknown as ClientV1
}

describe.each([
  ['v1 over HTTP', v1, (url: string) => new HttpV1(new URL(url))],
  ['v1 over HTTP+SSE', v1, (url: string) => new SSEClientTransport(new URL(url.replace('/mcp', '/sse')))],
  ['v2 over HTTP', v2, (url: string) => new HttpV2(new URL(url))],
] as const)('the official SDK %s', (_, make, transport) => {
  it('lists, calls and answers questions, with each request at another replica', async () => {
    const fleet = await behind()
    const one = make()
    await one.connect(transport(fleet.url) as HttpV1)
    onTestFinished(() => one.close())
    expect((await one.listTools()).tools.map(({ name }) => name)).toContain('asking__book')
    for (let call = 1; call <= 3; call++) {
      const booked = await one.callTool({ name: 'asking__book', arguments: { at: 'noon' } })
      expect(words(booked as never)).toBe('booked at noon for 4')
      expect(fleet.done).toMatchObject({ begun: call, booked: call })
    }
    expect(isSpread(fleet)).toBe(true)
  })
})
