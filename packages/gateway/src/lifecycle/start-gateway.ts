// The gateway: everything in this package, running.
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import type { Readable, Writable } from 'node:stream'
import type { Server } from 'toolwire'
import type { Control, GatewayHealth } from '../api/control/control.js'
import { packageVersion } from '../common/version.js'
import { type ConfigChanges, diffConfigs } from '../config/diff-configs.js'
import type { GatewayConfig, UpstreamConfig } from '../config/gateway-config.js'
import type { LoadOptions } from '../config/load-config.js'
import { defaultDataDir, homeOf } from '../config/paths.js'
import { type WatchOptions, watchConfig } from '../config/watch-config.js'
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
import { RunningGateway } from './running-gateway.js'

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

export async function startGateway(given: GatewayConfig, options: GatewayOptions): Promise<Gateway> {
  const config = withExampleServers(given)
  const { TOOLWIRE_VAULT_KEY: vaultKey } = options.env
  const warn = (message: string) =>
    options.onLog?.({ level: 'warning', message: cleaned(message, (text) => given.secrets.mask(text)) })
  const isUpgrade = options.store === undefined && hasNoToken(config.dataDir)
  const telemetry = await openTelemetry(options.env)
  const store = options.store ?? (await openStore(config.dataDir, { vaultKey, onNote: warn }))
  const logins = await UpstreamLogins.open({
    store,
    version: packageVersion,
    upstreams: () => running.config.upstreams,
    waiting: () => running.config.trust?.waiting ?? [],
    log: () => (running.config.guard.audit ? store.audit : undefined),
    onNote: warn,
  })
  const running = new RunningGateway(config, {
    store,
    logins,
    telemetry,
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
  let sideDoor: LocalSocket | undefined
  let closing: Promise<void> | undefined
  const close = (drainMs?: number) => {
    closing ??= running
      .close(drainMs)
      .then(() => sideDoor?.close())
      .finally(() => store.close())
    return closing
  }
  try {
    const started = await running.start()
    if (isUpgrade) warn(upgradeNote(config.dataDir))
    // A store that was opened elsewhere has its own lock, or none.
    if (!options.store) sideDoor = await openStoreFor(started.server, config, options)
    return toGateway(running, { ...started, close, stdio: options.stdio })
  } catch (thrown) {
    await close(0)
    throw thrown
  }
}

async function openStoreFor(server: Server, { dataDir, source }: GatewayConfig, { onLog }: GatewayOptions): Promise<LocalSocket> {
  const sideDoor = new LocalSocket(server, { dataDir, source, onNote: (message) => onLog?.({ level: 'warning', message }) })
  await sideDoor.open()
  return sideDoor
}

type RunParts = {
  readonly server: Server
  readonly control: Control
  readonly close: (drainMs?: number) => Promise<void>
  readonly stdio: GatewayOptions['stdio']
}

/** What a watched config says about itself, the gateway repeats. */
const reportTrouble = new WeakMap<Gateway, (trouble: Error | undefined) => void>()

function toGateway(running: RunningGateway, { server, control, close, stdio }: RunParts): Gateway {
  const { url, port } = running
  const { host } = running.config
  const ended = stdio ? serveHost(server, stdio) : new Promise<void>(() => undefined)
  const gateway: Gateway = {
    url,
    host,
    port,
    server,
    control,
    ended,
    consoleUrl: running.console?.url,
    loginLink: () => running.console?.newLink().url,
    get config() {
      return running.config
    },
    health: () => running.health(),
    change: (config, changes = diffConfigs(running.config, config)) => running.change(withExampleServers(config), changes),
    close: ({ drainMs } = {}) => close(drainMs),
    [Symbol.asyncDispose]: () => close(),
  }
  reportTrouble.set(gateway, (trouble) => running.configTroubled(trouble))
  return gateway
}

/** Starts a gateway with the config that is found there, and follows it: the last good one stays in force. */
export async function runGateway(where: WatchOptions, options: GatewayOptions): Promise<Gateway> {
  const waiting: (() => void)[] = []
  let gateway: Gateway | undefined
  let running: ((trouble: Error | undefined) => void) | undefined
  const watched = await watchConfig(
    where,
    (config, changes) => {
      const failed = (thrown: unknown) => running?.(thrown instanceof Error ? thrown : new Error(String(thrown)))
      const change = () => void gateway?.change(config, changes).catch(failed)
      if (gateway) change()
      else waiting.push(change)
    },
    (trouble) => running?.(trouble),
  )
  try {
    for (const warning of watched.current.warnings) options.onLog?.({ level: 'warning', message: warning })
    const note = trustNote(watched.current)
    if (note) options.onLog?.({ level: 'warning', message: note })
    const started = await startGateway(watched.current, { ...options, load: where })
    gateway = started
    running = reportTrouble.get(started)
    for (const change of waiting) change()
    const close: Gateway['close'] = async (how) => {
      watched.close()
      await started.close(how)
    }
    return Object.assign(Object.create(started) as Gateway, { close, [Symbol.asyncDispose]: () => close() })
  } catch (thrown) {
    watched.close()
    throw thrown
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
