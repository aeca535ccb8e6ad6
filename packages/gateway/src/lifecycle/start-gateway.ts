// The gateway: everything in this package, running.
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import type { Readable, Writable } from 'node:stream'
import type { Server } from 'toolwire'
import type { Control, GatewayHealth } from '../api/control/control.js'
import { type ConfigChanges, diffConfigs } from '../config/diff-configs.js'
import type { GatewayConfig, UpstreamConfig } from '../config/gateway-config.js'
import type { LoadOptions } from '../config/load-config.js'
import { defaultDataDir, homeOf } from '../config/paths.js'
import { type WatchOptions, watchConfig } from '../config/watch-config.js'
import { sharedLimits } from '../guard/limits/shared-limits.js'
import { openTelemetry } from '../monitoring/telemetry.js'
import { LocalSocket } from '../stdio/local-socket.js'
import { serveHost } from '../stdio/serve-host.js'
import { hasNoToken, managementTokenFile } from '../store/management-token.js'
import { openStore } from '../store/open-store.js'
import type { Store } from '../store/store.js'
import { UpstreamLogins } from '../upstreams/logins/upstream-logins.js'
import type { UpstreamClientOptions } from '../upstreams/open-client.js'
import { exampleUpstreams } from './example-servers.js'
import { cleaned, type GatewayLogEntry } from './gateway-log.js'
import { type GatewayState, urlOf } from './gateway-parts.js'
import { RunningGateway } from './running-gateway.js'
import { packageVersion } from './version.js'

/** What a gateway needs besides its config. */
export type GatewayOptions = {
  /** Opened in `config.dataDir` if not given, and closed with the gateway in either case. */
  readonly store?: Store
  readonly env: { readonly [name: string]: string | undefined }
  /** What is to be written to the log, without secrets. */
  readonly onLog?: (entry: LogEntry) => void
  /** Serves the host that started this process too: over stdin and stdout, or over these. */
  readonly stdio?: true | { readonly readable: Readable; readonly writable: Writable }
  /** Milliseconds that a caller is kept waiting for a decision when it does not hear of progress; 20,000 if not said. */
  readonly patienceMs?: number
  /** Of the console: the folder of its page, if it is not the one that comes with the package, and its clock. */
  readonly console?: { readonly page?: string; readonly now?: () => number }
  /** How the config was read, where it was: servers can be changed in its file then. */
  readonly load?: LoadOptions
  /** Credentials for upstreams that need more than headers. */
  readonly authFor?: (upstream: UpstreamConfig, store: Store) => UpstreamClientOptions['auth']
}

export type LogEntry = GatewayLogEntry

/** A gateway that runs. */
export type Gateway = {
  /** Of the endpoint with everything. */
  readonly url: string
  readonly host: string
  readonly port: number
  readonly server: Server
  /** The origin of the console; undefined where there is none. */
  readonly consoleUrl: string | undefined
  /** A link that lets a browser in to the console: good once, and for five minutes. */
  loginLink(): string | undefined
  readonly config: GatewayConfig
  /** Everything that can be seen and done, as the management API has it. */
  readonly control: Control
  health(): GatewayHealth
  /** Puts another config in force; what is the same in both is left alone. */
  change(config: GatewayConfig, changes?: ConfigChanges): Promise<void>
  /** Resolves when the host that started this process has gone; never without `stdio`. */
  readonly ended: Promise<void>
  /** Refuses new calls, waits for those under way, and closes everything, the store last. */
  close(options?: { readonly drainMs?: number }): Promise<void>
  [Symbol.asyncDispose](): Promise<void>
}

export const startGateway = async (config: GatewayConfig, options: GatewayOptions): Promise<Gateway> =>
  (await openGateway(config, options)).gateway

/** Starts a gateway with the config that is found there, and follows it: the last good one stays in force. */
export async function runGateway(where: WatchOptions, options: GatewayOptions): Promise<Gateway> {
  const waiting: (() => void)[] = []
  let opened: OpenedGateway | undefined
  const reportTrouble = (trouble: Error | undefined) => opened?.reportTrouble(trouble)
  const watched = await watchConfig(
    where,
    (config, changes) => {
      const failed = (thrown: unknown) => reportTrouble(thrown instanceof Error ? thrown : new Error(String(thrown)))
      const change = () => void opened?.gateway.change(config, changes).catch(failed)
      if (opened) change()
      else waiting.push(change)
    },
    reportTrouble,
  )
  try {
    for (const warning of watched.current.warnings) options.onLog?.({ level: 'warning', message: warning })
    const note = trustNote(watched.current)
    if (note) options.onLog?.({ level: 'warning', message: note })
    opened = await openGateway(watched.current, { ...options, load: where }, () => watched.close())
    for (const change of waiting) change()
    return opened.gateway
  } catch (thrown) {
    watched.close()
    throw thrown
  }
}

type OpenedGateway = { readonly gateway: Gateway; readonly reportTrouble: RunningGateway['configTroubled'] }

async function openGateway(given: GatewayConfig, options: GatewayOptions, onClose?: () => void): Promise<OpenedGateway> {
  const config = withExampleServers(given)
  const state: GatewayState = { config, port: 0, console: undefined, configTrouble: undefined }
  const warn = (message: string) =>
    options.onLog?.({ level: 'warning', message: cleaned(message, (text) => state.config.secrets.mask(text)) })
  const isUpgrade = options.store === undefined && hasNoToken(config.dataDir)
  const resources = await openResources(state, options, warn)
  const { store, logins, telemetry } = resources
  const running = new RunningGateway(state, resources, {
    version: packageVersion,
    onLog: options.onLog ?? (() => undefined),
    patienceMs: options.patienceMs ?? 20_000,
    console: options.console ?? {},
    load: options.load,
    usualDataDir: usualDataDirFor(options.env),
    optionsFor: (upstream) => {
      const auth = options.authFor?.(upstream, store)
      return {
        clientInfo: { name: 'toolwire', version: packageVersion },
        ...logins.optionsFor(upstream),
        ...(auth && { auth }),
        ...(telemetry && { policies: [telemetry.policy] }),
      }
    },
  })
  let socket: LocalSocket | undefined
  let closing: Promise<void> | undefined
  const close = (drainMs?: number) => {
    onClose?.()
    closing ??= running
      .close(drainMs)
      .then(() => socket?.close())
      .finally(() => store.close())
    return closing
  }
  try {
    await running.start()
    if (isUpgrade) warn(upgradeNote(config.dataDir))
    // Whoever has opened a store elsewhere has a lock of their own, or none.
    if (!options.store) socket = await openSocket(running.server, config, warn)
  } catch (thrown) {
    await close(0)
    throw thrown
  }
  const gateway = gatewayOf(state, running, { close, stdio: options.stdio })
  return { gateway, reportTrouble: (trouble) => running.configTroubled(trouble) }
}

async function openResources(state: GatewayState, options: GatewayOptions, warn: (message: string) => void) {
  const { dataDir, redisUrl } = state.config
  const { TOOLWIRE_VAULT_KEY: vaultKey } = options.env
  const telemetry = await openTelemetry(options.env)
  const store = options.store ?? (await openStore(dataDir, { vaultKey, onNote: warn }))
  const logins = await UpstreamLogins.open({
    store,
    version: packageVersion,
    upstreams: () => state.config.upstreams,
    waiting: () => state.config.trust?.waiting ?? [],
    log: () => (state.config.guard.audit ? store.audit : undefined),
    onNote: warn,
  })
  try {
    return { store, logins, telemetry, limits: await sharedLimits(redisUrl, warn) }
  } catch (thrown) {
    logins.close()
    await store.close()
    await telemetry?.close()
    throw thrown
  }
}

async function openSocket(server: Server, config: GatewayConfig, onNote: (words: string) => void): Promise<LocalSocket> {
  const { dataDir, source } = config
  const socket = new LocalSocket(server, { dataDir, source, onNote })
  await socket.open()
  return socket
}

type Ending = { readonly close: (drainMs?: number) => Promise<void>; readonly stdio: GatewayOptions['stdio'] }

function gatewayOf(state: GatewayState, running: RunningGateway, { close, stdio }: Ending): Gateway {
  const { server, control } = running
  return {
    url: urlOf(state),
    host: state.config.host,
    port: state.port,
    server,
    control,
    ended: stdio ? serveHost(server, stdio) : new Promise<void>(() => undefined),
    consoleUrl: state.console?.url,
    loginLink: () => state.console?.newLink().url,
    get config() {
      return state.config
    },
    health: control.health,
    change: (config, changes = diffConfigs(state.config, config)) => running.change(withExampleServers(config), changes),
    close: ({ drainMs } = {}) => close(drainMs),
    [Symbol.asyncDispose]: () => close(),
  }
}

/** Once: the next start finds the token. */
const upgradeNote = (dataDir: string): string =>
  'New in this version: managing the gateway takes a credential, on this machine too. The toolwire command finds it by itself; other programs ' +
  `send the first line of ${join(dataDir, managementTokenFile)}, or a key with the scope toolwire:admin. Calls need no more than before, and nobody allows their own`

/** Where commands look that are started with this environment. */
function usualDataDirFor(env: GatewayOptions['env']): string | undefined {
  const home = homeOf(env)
  return home === undefined ? undefined : defaultDataDir({ env, home, platform: process.platform, cwd: process.cwd() })
}

/** For those whose servers an older version started without a question: it has left its data, and nothing was accepted since. */
function trustNote({ trust, dataDir }: GatewayConfig): string | undefined {
  if (!trust || trust.waiting.length === 0 || existsSync(trust.store) || !existsSync(join(dataDir, 'toolwire.db')))
    return undefined
  return 'Older versions started the servers of a config that they found in the working folder without asking. From this version on, such a config is accepted once, and again where it changes. Nothing else in the data directory has changed.'
}

/** Without a config there is something to see all the same. */
const withExampleServers = (config: GatewayConfig): GatewayConfig =>
  config.source === undefined && config.upstreams.length === 0 ? { ...config, upstreams: exampleUpstreams() } : config
