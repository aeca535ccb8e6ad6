// Clients of every revision and transport: our own, and those of the official SDKs.
import { Client as ClientV2, StreamableHTTPClientTransport as HttpV2 } from '@modelcontextprotocol/client'
import { Client as ClientV1 } from '@modelcontextprotocol/sdk/client/index.js'
import { SSEClientTransport as SseV1 } from '@modelcontextprotocol/sdk/client/sse.js'
import { StreamableHTTPClientTransport as HttpV1 } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import { connect, memoryRevisions } from 'toolwire/client'
import type { SessionOpened } from '../history.js'
import { failureOf, type Outcome, outcomeOf } from './outcome.js'

/** A client that reconnects after a failure. */
export type Caller = {
  readonly name: string
  readonly revision: string
  call(tool: string, id: string): Promise<Outcome>
  close(): Promise<void>
}

type Connected = { call(tool: string, args: { id: string }): Promise<unknown>; close(): Promise<void> }
type Address = { readonly url: string; readonly sseUrl: string; readonly apiKey: string }
type OnSession = (opened: SessionOpened) => void

/** The state that a client keeps between requests: none, a session that any replica knows, or a stream from one replica. */
type Keeping = 'nothing' | 'session' | 'stream'

/** Longer than any fault. */
const patienceMs = 30_000
const about = { name: 'fleet', version: '1.0.0' }

const revisions = ['2024-11-05', '2025-03-26', '2025-06-18', '2025-11-25', '2026-07-28'] as const
const newest = '2026-07-28'

export function callersOf(address: Address, onSession: OnSession): Caller[] {
  const { url, sseUrl } = address
  const client = (name: string, revision: string, keeping: Keeping, open: () => Promise<Connected>) =>
    reconnecting({ name, revision, keeping, onSession }, open)
  return [
    ...revisions.map((revision) =>
      client(`ours ${revision}`, revision, revision === newest ? 'nothing' : 'session', () =>
        toolwireClient(url, address, revision),
      ),
    ),
    client('SDK v1', '2025-11-25', 'session', () => sdkV1(new HttpV1(new URL(url), headersFor(address)))),
    client('SDK v2', newest, 'nothing', () => sdkV2(address)),
    client('ours HTTP+SSE', '2024-11-05', 'stream', () => toolwireClient({ type: 'sse', url: sseUrl }, address, '2024-11-05')),
    client('SDK v1 HTTP+SSE', '2024-11-05', 'stream', () => sdkV1(new SseV1(new URL(sseUrl), headersFor(address)))),
  ]
}

export const newestCaller = (address: Address, name: string): Caller =>
  reconnecting({ name, revision: newest, keeping: 'nothing', onSession: ignored }, () =>
    toolwireClient(address.url, address, newest),
  )

async function toolwireClient(
  target: string | { readonly type: 'sse'; readonly url: string },
  { apiKey }: Address,
  revision: string,
): Promise<Connected> {
  const client = await connect(target, {
    auth: { token: apiKey },
    revision,
    verdicts: memoryRevisions(),
    onWarning: () => undefined,
    limits: { idleMs: patienceMs, totalMs: patienceMs },
    signal: AbortSignal.timeout(patienceMs),
  })
  return { call: (tool, args) => client.call(tool, args), close: () => client.close() }
}

const headersFor = ({ apiKey }: Address) => ({ requestInit: { headers: { authorization: `Bearer ${apiKey}` } } })

async function sdkV1(transport: HttpV1 | SseV1): Promise<Connected> {
  const client = new ClientV1(about)
  await client.connect(transport, { timeout: patienceMs })
  // Otherwise the transport would reconnect by itself, and wait for responses of the first stream.
  if (transport instanceof SseV1) client.onerror = () => void client.close().catch(ignored)
  return {
    call: (name, args) => client.callTool({ name, arguments: args }, undefined, { timeout: patienceMs }),
    close: () => client.close(),
  }
}

async function sdkV2(address: Address): Promise<Connected> {
  const client = new ClientV2(about, { versionNegotiation: { mode: 'auto' } })
  await client.connect(new HttpV2(new URL(address.url), headersFor(address)), { timeout: patienceMs })
  return {
    call: (name, args) => client.callTool({ name, arguments: args }, { timeout: patienceMs }),
    close: () => client.close(),
  }
}

type Reconnecting = Pick<Caller, 'name' | 'revision'> & { readonly keeping: Keeping; readonly onSession: OnSession }

/** Number of failures in a row after which a session is given up. */
const mostFailures = 3

/** A failure to connect is no answer to a call, so it is retried until it succeeds. */
function reconnecting({ name, revision, keeping, onSession }: Reconnecting, open: () => Promise<Connected>): Caller {
  let connected: Promise<Connected> | undefined
  let failures = 0
  let isClosed = false
  const left: Promise<Connected>[] = []

  async function opened(): Promise<Connected> {
    const one = await open()
    if (keeping !== 'nothing') onSession({ kind: 'session', client: name, isStream: keeping === 'stream', at: Date.now() })
    return one
  }

  async function connection(): Promise<Connected> {
    for (;;) {
      connected ??= opened()
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
        const outcome = outcomeOf(await call(tool, { id }))
        failures = 0
        return outcome
      } catch (thrown) {
        failures++
        // A session survives its replica, so it is kept. A connection that is given up stays open, since calls may still be running.
        if (connected === mine && mine && (keeping !== 'session' || failures >= mostFailures)) {
          connected = undefined
          left.push(mine)
          failures = 0
        }
        return failureOf(thrown)
      }
    },
    async close() {
      isClosed = true
      for (const one of [...left, connected]) await (await one?.catch(ignored))?.close().catch(ignored)
    },
  }
}

/** Closing a broken connection may fail. */
const ignored = () => undefined
