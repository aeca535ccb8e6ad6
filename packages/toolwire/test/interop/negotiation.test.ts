// Clients and servers with different revisions agree on a common one, or report that there is none.
import * as v2 from '@modelcontextprotocol/client'
import * as v2Stdio from '@modelcontextprotocol/client/stdio'
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js'
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import { describe, expect, it } from 'vitest'
import type { FixtureOptions } from './fixture.js'
import { overHttp } from './legs.js'
import type { Peer } from './peer.js'
import { connectV1 } from './peer-v1.js'
import { connectV2, type RevisionChoice } from './peer-v2.js'
import { program } from './program.js'

type Connect<What> = (options: FixtureOptions, what: What) => Promise<Peer>
const quiet = async (options: FixtureOptions) => ({ ...(await program(options)), stderr: 'ignore' as const })

const ways: { way: string; v1: Connect<string>; v2: Connect<RevisionChoice> }[] = [
  {
    way: 'HTTP',
    v1: (options, offer) => overHttp(options, ({ mcp }) => connectV1(new StreamableHTTPClientTransport(mcp), offer)),
    v2: (options, choice) => overHttp(options, ({ mcp }) => connectV2(new v2.StreamableHTTPClientTransport(mcp), choice)),
  },
  {
    way: 'stdio',
    v1: async (options, offer) => connectV1(new StdioClientTransport(await quiet(options)), offer),
    v2: async (options, choice) => connectV2(new v2Stdio.StdioClientTransport(await quiet(options)), choice),
  },
]

describe.each(ways)('Over $way', ({ v1: connectOld, v2: connectNew }) => {
  it.each([
    ['2099-01-01', undefined, '2025-11-25'],
    ['2024-10-07', undefined, '2025-11-25'],
    ['2025-11-25', ['2024-11-05'], '2024-11-05'],
    ['2024-11-05', ['2025-06-18', '2025-03-26'], '2025-06-18'],
  ])('SDK v1 that offers %s to a server of %s uses %s', async (offer, revisions, settled) => {
    await using peer = await connectOld(revisions ? { revisions } : {}, offer)
    expect(peer.version).toBe(settled)
    expect((await peer.call('echo', { text: 'hi' })).content).toEqual([{ type: 'text', text: 'hi' }])
  })

  it.each([
    ['modern', ['2025-11-25', '2025-06-18'], '2025-11-25'],
    [{ pin: '2026-07-28' }, undefined, '2026-07-28'],
    ['modern', ['2026-07-28'], '2026-07-28'],
  ] as const)('SDK v2 that requires %j of a server of %s uses %s', async (choice, revisions, settled) => {
    await using peer = await connectNew(revisions ? { revisions } : {}, choice)
    expect(peer.version).toBe(settled)
    expect((await peer.call('echo', { text: 'hi' })).content).toEqual([{ type: 'text', text: 'hi' }])
  })

  it('a connection without a common revision fails at once', async () => {
    await expect(connectOld({ revisions: ['2026-07-28'] }, '2025-11-25')).rejects.toThrow(/2026-07-28/)
    await expect(connectNew({ revisions: ['2025-11-25'] }, { pin: '2026-07-28' })).rejects.toThrow()
  })
})
