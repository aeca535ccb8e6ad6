// Clients of every revision: ours, and those of the official SDKs.
import { Client as ClientV2, StreamableHTTPClientTransport as HttpV2 } from '@modelcontextprotocol/client'
import { Client as ClientV1 } from '@modelcontextprotocol/sdk/client/index.js'
import { StreamableHTTPClientTransport as HttpV1 } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import { connect, memoryRevisions } from 'toolwire/client'
import { failureOf, type Outcome, outcomeOf } from './outcome.js'

/** A connection, which is made again after a failure. */
export type Caller = {
  readonly name: string
  readonly revision: string
  call(tool: string, id: string): Promise<Outcome>
  close(): Promise<void>
}

type Connected = { call(tool: string, args: { id: string }): Promise<unknown>; close(): Promise<void> }
type Address = { readonly url: string; readonly apiKey: string }

/** Longer than any fault lasts. */
const patienceMs = 30_000
const about = { name: 'fleet', version: '1.0.0' }

const revisions = ['2024-11-05', '2025-03-26', '2025-06-18', '2025-11-25', '2026-07-28'] as const
const newest = '2026-07-28'

export const callersOf = (address: Address): Caller[] => [
  ...revisions.map((revision) => reconnecting(`ours ${revision}`, revision, () => ours(address, revision))),
  reconnecting('SDK v1', '2025-11-25', () => sdkV1(address)),
  reconnecting('SDK v2', newest, () => sdkV2(address)),
]

export const newestCaller = (address: Address, name: string): Caller => reconnecting(name, newest, () => ours(address, newest))

async function ours({ url, apiKey }: Address, revision: string): Promise<Connected> {
  const client = await connect(url, {
    auth: { token: apiKey },
    revision,
    verdicts: memoryRevisions(),
    onWarning: () => undefined,
    limits: { idleMs: patienceMs, totalMs: patienceMs },
    signal: AbortSignal.timeout(patienceMs),
  })
  return { call: (tool, args) => client.call(tool, args), close: () => client.close() }
}

const headersFor = (apiKey: string) => ({ requestInit: { headers: { authorization: `Bearer ${apiKey}` } } })

async function sdkV1({ url, apiKey }: Address): Promise<Connected> {
  const client = new ClientV1(about)
  await client.connect(new HttpV1(new URL(url), headersFor(apiKey)), { timeout: patienceMs })
  return {
    call: (name, args) => client.callTool({ name, arguments: args }, undefined, { timeout: patienceMs }),
    close: () => client.close(),
  }
}

async function sdkV2({ url, apiKey }: Address): Promise<Connected> {
  const client = new ClientV2(about, { versionNegotiation: { mode: 'auto' } })
  await client.connect(new HttpV2(new URL(url), headersFor(apiKey)), { timeout: patienceMs })
  return {
    call: (name, args) => client.callTool({ name, arguments: args }, { timeout: patienceMs }),
    close: () => client.close(),
  }
}

/** A failure to connect is no answer to a call: it is tried again until somebody is there. */
function reconnecting(name: string, revision: string, open: () => Promise<Connected>): Caller {
  let connected: Promise<Connected> | undefined
  let isClosed = false

  async function connection(): Promise<Connected> {
    for (;;) {
      connected ??= open()
      const mine = connected
      try {
        return await mine
      } catch (thrown) {
        if (connected === mine) connected = undefined
        if (isClosed) throw thrown
        await new Promise((resolve) => setTimeout(resolve, 100))
      }
    }
  }

  return {
    name,
    revision,
    async call(tool, id) {
      const { call } = await connection()
      const mine = connected
      try {
        return outcomeOf(await call(tool, { id }))
      } catch (thrown) {
        // The session may have ended with its replica.
        if (connected === mine) {
          connected = undefined
          void mine?.then((one) => one.close()).catch(ignored)
        }
        return failureOf(thrown)
      }
    },
    async close() {
      isClosed = true
      await (await connected?.catch(ignored))?.close().catch(ignored)
    },
  }
}

/** Closing what is broken may fail. */
const ignored = () => undefined
