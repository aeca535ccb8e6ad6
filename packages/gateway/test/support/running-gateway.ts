// Real gateways with child processes and a database, and callers over HTTP.
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { onTestFailed, onTestFinished } from 'vitest'
import { until } from '../../../toolwire/test/waiting.js'
import { defaultApprovals, defaultGuard, type GatewayConfig, type GuardConfig } from '../../src/config/gateway-config.js'
import { Secrets } from '../../src/config/secrets.js'
import { type Gateway, type GatewayOptions, startGateway } from '../../src/lifecycle/start-gateway.js'
import { readManagementToken } from '../../src/store/management-token.js'
import { openStore } from '../../src/store/open-store.js'
import type { Store } from '../../src/store/store.js'
import { builtWorker } from './build-program.js'

export {
  child,
  client,
  config as upstreamConfig,
  eventually,
  http,
  moody,
  program,
  subscribed,
  words,
} from './upstream-fixture.js'
export { until }

export function folder(): string {
  const directory = mkdtempSync(join(tmpdir(), 'toolwire-gateway-'))
  onTestFinished(() => rmSync(directory, { recursive: true, force: true }))
  return directory
}

export async function storeIn(directory: string): Promise<Store> {
  mkdirSync(directory, { recursive: true })
  return openStore(directory, { worker: await builtWorker() })
}

/** Without the default limit of lists, because tests list again and again until something is there. */
const guardOf = (guard: GuardConfig = defaultGuard): GuardConfig =>
  guard.lists === defaultGuard.lists ? { ...guard, lists: false } : guard

/** Completes a config with the defaults. */
export function configOf({ guard, ...given }: Partial<GatewayConfig> = {}): GatewayConfig {
  return {
    upstreams: [],
    sets: {},
    port: 0,
    host: '127.0.0.1',
    allowedHosts: [],
    allowedOrigins: [],
    dataDir: join(folder(), 'data'),
    logLevel: 'info',
    guard: guardOf(guard),
    approvals: defaultApprovals,
    retention: {},
    callers: { loopback: true, apiKeys: false },
    source: '/nowhere/mcp.json',
    files: [],
    warnings: [],
    secrets: new Secrets(),
    ...given,
  }
}

export type Started = Gateway & { readonly log: string[] }

/** Long enough for the servers of a test to start on a busy machine. */
export const openMs = 60_000

/** A gateway that is closed after the test. */
export async function started(given: Partial<GatewayConfig> = {}, options: Partial<GatewayOptions> = {}): Promise<Started> {
  const config = configOf(given)
  const log: string[] = []
  const store = options.store ?? (await storeIn(config.dataDir))
  const gateway = await startGateway(config, { env: {}, openMs, onLog: ({ message }) => log.push(message), ...options, store })
  onTestFinished(() => gateway.close({ drainMs: 0, delayMs: 0 }))
  onTestFailed(() => console.error(`log of the gateway on port ${gateway.port}:\n${log.slice(-50).join('\n')}`))
  tokens.set(gateway.port, readManagementToken(config.dataDir)?.token ?? '')
  return Object.assign(gateway, { log })
}

const tokens = new Map<number, string>()

/** The credentials of a program with access to the data directory, unless the headers contain others. */
export function credentialsFor({ port, config }: Managed, headers: Record<string, string> = {}): Record<string, string> {
  if ('authorization' in headers || 'x-api-key' in headers) return headers
  const token = (config && readManagementToken(config.dataDir)?.token) ?? tokens.get(port)
  return { authorization: `Bearer ${token}`, ...headers }
}

type Managed = { readonly port: number; readonly config?: { readonly dataDir: string } }

type Answer = { readonly status: number; readonly body: Record<string, unknown> & { error?: string } }

/** A request to the management API with the local credentials; `bare` sends none. */
export async function ask(
  gateway: Managed,
  path: string,
  { method, body, headers, bare }: { method?: string; body?: object; headers?: Record<string, string>; bare?: true } = {},
): Promise<Answer> {
  const response = await fetch(`http://127.0.0.1:${gateway.port}/api/v1${path}`, {
    method: method ?? (body ? 'POST' : 'GET'),
    headers: { ...(body && { 'content-type': 'application/json' }), ...(bare ? headers : credentialsFor(gateway, headers)) },
    ...(body && { body: JSON.stringify(body) }),
  })
  return { status: response.status, body: (await response.json()) as Answer['body'] }
}

/** Calls of callers, newest first, without the gateway's own records. */
export async function doneBy<Call extends object>(gateway: { readonly port: number }, query = ''): Promise<Call[]> {
  const { calls } = (await ask(gateway, `/audit${query}`)).body as { calls: (Call & { caller: string })[] }
  return calls.filter(({ caller }) => caller !== 'toolwire')
}

type Pending = {
  readonly id: string
  readonly tool: { readonly name: string }
  readonly caller: string
  readonly arguments: object
  readonly held: boolean
}

/** Polls until an approval is pending, and returns it. */
export const pending = (gateway: { readonly port: number }): Promise<Pending> =>
  until(async () => ((await ask(gateway, '/approvals')).body.approvals as Pending[])[0])
