// Every combination of client, transport and revision for the fixture.
import * as v2 from '@modelcontextprotocol/client'
import * as v2Stdio from '@modelcontextprotocol/client/stdio'
import { SSEClientTransport } from '@modelcontextprotocol/sdk/client/sse.js'
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js'
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import { listen } from 'toolwire/node'
import { type FixtureOptions, fixture } from './fixture.js'
import type { Peer } from './peer.js'
import { connectV1 } from './peer-v1.js'
import { connectV2, type RevisionChoice } from './peer-v2.js'
import { program } from './program.js'

export type Leg = {
  readonly name: string
  readonly expected: string
  readonly transport: 'stdio' | 'http' | 'sse'
  readonly connect: (options?: FixtureOptions) => Promise<Peer>
}

/** Serves the fixture over HTTP. The server does not keep the process alive by itself. */
export async function served(options: FixtureOptions = {}) {
  const listening = await listen(fixture(options), { port: 0, legacySse: true, signals: false })
  return { ...listening, sse: new URL('/sse', listening.url), [Symbol.asyncDispose]: () => listening.close() }
}

/** Connects a client, and closes its server together with it. */
export async function overHttp(
  options: FixtureOptions | undefined,
  connect: (urls: { mcp: URL; sse: URL }) => Promise<Peer>,
): Promise<Peer> {
  const server = await served(options)
  const peer = await connect({ mcp: new URL(server.url), sse: server.sse }).catch(async (thrown) => {
    await server.close()
    throw thrown
  })
  const leave = peer[Symbol.asyncDispose]
  peer[Symbol.asyncDispose] = async () => {
    await leave()
    await server.close()
  }
  return peer
}

const v1Legs: Leg[] = [
  {
    name: 'SDK v1 over stdio',
    expected: '2025-11-25',
    transport: 'stdio',
    connect: async (options) => connectV1(new StdioClientTransport({ ...(await program(options)), stderr: 'ignore' })),
  },
  ...['2025-11-25', '2025-06-18', '2025-03-26', '2024-11-05'].map(
    (version): Leg => ({
      name: `SDK v1 over HTTP, offering ${version}`,
      expected: version,
      transport: 'http',
      connect: (options) => overHttp(options, ({ mcp }) => connectV1(new StreamableHTTPClientTransport(mcp), version)),
    }),
  ),
  ...['2025-11-25', '2024-11-05'].map(
    (version): Leg => ({
      name: `SDK v1 over HTTP+SSE, offering ${version}`,
      expected: version,
      transport: 'sse',
      connect: (options) => overHttp(options, ({ sse }) => connectV1(new SSEClientTransport(sse), version)),
    }),
  ),
]

const choices: [RevisionChoice, string][] = [
  ...['2025-11-25', '2025-06-18', '2025-03-26', '2024-11-05'].map((legacy): [RevisionChoice, string] => [{ legacy }, legacy]),
  ['modern', '2026-07-28'],
]

const v2Legs = choices.flatMap(([choice, expected]): Leg[] => [
  {
    name: `SDK v2 over stdio, ${expected}`,
    expected,
    transport: 'stdio',
    connect: async (options) =>
      connectV2(new v2Stdio.StdioClientTransport({ ...(await program(options)), stderr: 'ignore' }), choice),
  },
  {
    name: `SDK v2 over HTTP, ${expected}`,
    expected,
    transport: 'http',
    connect: (options) => overHttp(options, ({ mcp }) => connectV2(new v2.StreamableHTTPClientTransport(mcp), choice)),
  },
])

const v2Sse: Leg = {
  name: 'SDK v2 over HTTP+SSE, 2024-11-05',
  expected: '2024-11-05',
  transport: 'sse',
  connect: (options) => overHttp(options, ({ sse }) => connectV2(new v2.SSEClientTransport(sse), { legacy: '2024-11-05' })),
}

export const legs: readonly Leg[] = [...v1Legs, ...v2Legs, v2Sse]
