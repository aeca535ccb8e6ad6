// HTTP sessions of the SDK clients: resumption after a lost connection, and termination.
import * as v2 from '@modelcontextprotocol/client'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import { describe, expect, it } from 'vitest'
import { expectWithin } from '../soak.js'
import { served } from './legs.js'
import type { Peer } from './peer.js'
import { connectV1 } from './peer-v1.js'
import { connectV2 } from './peer-v2.js'
import { eventually, program } from './program.js'

type Options = { fetch?: typeof fetch }
type Client = { peer: Peer; leave: () => Promise<void>; sessionId: () => string | undefined }
const reconnectionOptions = {
  initialReconnectionDelay: 20,
  maxReconnectionDelay: 100,
  reconnectionDelayGrowFactor: 2,
  maxRetries: 3,
}

async function clientV1(url: string, { fetch }: Options = {}): Promise<Client> {
  const transport = new StreamableHTTPClientTransport(new URL(url), { reconnectionOptions, ...(fetch && { fetch }) })
  const peer = await connectV1(transport)
  return { peer, leave: () => transport.terminateSession(), sessionId: () => transport.sessionId }
}

async function clientV2(url: string, { fetch }: Options = {}): Promise<Client> {
  const transport = new v2.StreamableHTTPClientTransport(new URL(url), { reconnectionOptions, ...(fetch && { fetch }) })
  const peer = await connectV2(transport, { legacy: '2025-11-25' })
  return { peer, leave: () => transport.terminateSession(), sessionId: () => transport.sessionId }
}

/** A network that breaks the connection of each tool call after the first chunk of the response. */
function lossyNetwork() {
  const resumed: string[] = []
  const lossy: typeof fetch = async (url, init) => {
    const lastEventId = new Headers(init?.headers).get('last-event-id')
    if (lastEventId !== null) resumed.push(lastEventId)
    const response = await fetch(url, init)
    const calling = typeof init?.body === 'string' && init.body.includes('"tools/call"')
    return calling && response.body ? new Response(firstChunk(response.body), response) : response
  }
  return { fetch: lossy, resumed }
}

function firstChunk(body: ReadableStream<Uint8Array>): ReadableStream<Uint8Array> {
  const reader = body.getReader()
  return new ReadableStream({
    async pull(controller) {
      const { value } = await reader.read()
      if (value) controller.enqueue(value)
      controller.close()
      await reader.cancel()
    },
  })
}

describe.each([
  ['SDK v1', clientV1],
  ['SDK v2', clientV2],
])('%s', (_, connect) => {
  it('resumes for the result when the server closes the stream', async () => {
    await using server = await served()
    const { peer } = await connect(server.url)
    await using _closing = peer
    expect(await peer.call('interrupted')).toMatchObject({ content: [{ type: 'text', text: 'after the break' }] })
  })

  it('resumes for missed events when the network breaks a call', async () => {
    await using server = await served()
    const network = lossyNetwork()
    const { peer } = await connect(server.url, network)
    await using _closing = peer
    const steps: number[] = []
    const onprogress = ({ progress }: { progress: number }) => steps.push(progress)
    const result = await peer.call('slow', { steps: 4, ms: 15 }, { onprogress })
    expect(result.content).toEqual([{ type: 'text', text: 'done' }])
    expect(steps).toEqual([1, 2, 3, 4])
    expect(network.resumed.length).toBeGreaterThan(0)
  })

  it('terminates its session', async () => {
    await using server = await served()
    const { peer, leave, sessionId } = await connect(server.url)
    await using _closing = peer
    const token = sessionId()
    expect(token).toBeTruthy()
    await leave()
    const late = await fetch(server.url, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
        'mcp-session-id': String(token),
        'mcp-protocol-version': '2025-11-25',
      },
      body: '{"jsonrpc":"2.0","id":1,"method":"tools/list"}',
    })
    expect(late.status).toBe(404)
  })

  it('is notified of a change that another client has made', async () => {
    await using server = await served()
    const first = await connect(server.url)
    const second = await connect(server.url)
    await using _closing = first.peer
    await using _closingToo = second.peer
    await second.peer.call('grow')
    expect(await eventually(() => first.peer.received.tools.length > 0 && second.peer.received.tools.length > 0)).toBe(true)
  })
})

it.each([
  'modern',
  { legacy: '2025-11-25' },
] as const)('a server on stdio exits as soon as its %j client has disconnected', async (choice) => {
  const transport = new StdioClientTransport({ ...(await program()), stderr: 'ignore' })
  const peer = await connectV2(transport, choice)
  await peer.call('echo', { text: 'the modern client is listening for changes meanwhile' })
  const leaving = performance.now()
  await peer[Symbol.asyncDispose]()
  // The client would send a signal after two seconds.
  expectWithin(performance.now() - leaving, 1_900)
})
