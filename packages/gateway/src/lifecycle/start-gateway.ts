import { join } from 'node:path'
import type { Server } from 'toolwire'
import type { Control, GatewayHealth } from '../api/control/control.js'
import { type ConfigChanges, diffConfigs } from '../config/diff-configs.js'
import { type GatewayConfig, hasSpool } from '../config/gateway-config.js'
import { type OnConfigChange, type WatchedConfig, type WatchOptions, watchConfig } from '../config/watch-config.js'
import { sharedLimits } from '../guard/limits/shared-limits.js'
import { openTelemetry } from '../monitoring/telemetry.js'
import { LocalSocket } from '../stdio/local-socket.js'
import { serveHost } from '../stdio/serve-host.js'
import { hasNoToken, managementTokenFile } from '../store/management-token.js'
import { openConfiguredStore } from '../store/open-configured-store.js'
import { storeKeysIn } from '../store/secrets/gateway-keys.js'
import type { Store } from '../store/store.js'
import { UpstreamLogins } from '../upstreams/logins/upstream-logins.js'
import { exampleUpstreams } from './example-servers.js'
import { followReplicas } from './follow-replicas.js'
import { cleanLogText } from './gateway-log.js'
import type { GatewayOptions } from './gateway-options.js'
import { type GatewayState, urlOf } from './gateway-parts.js'
import { type CloseOptions, RunningGateway } from './running-gateway.js'
import { openSharedConfig } from './shared-config.js'
import { packageVersion } from './version.js'

export type { GatewayLogEntry as LogEntry } from './gateway-log.js'
export type { GatewayOptions } from './gateway-options.js'

export type Gateway = {
  /** The URL of the endpoint with everything. */
  readonly url: string
  readonly host: string
  readonly port: number
  readonly server: Server
  readonly consoleUrl: string | undefined
  /** A login link for the console, valid once and for five minutes. */
  loginLink(): string | undefined
  readonly config: GatewayConfig
  /** The views and actions of the management API. */
  readonly control: Control
  health(): GatewayHealth
  /** Applies another config; parts that are the same in both keep running. */
  change(config: GatewayConfig, changes?: ConfigChanges): Promise<void>
  /** Resolves when the host that started this process is gone. Without `stdio` it never resolves. */
  readonly ended: Promise<void>
  /**
   * Announces the end at `/readyz` for `delayMs`, refuses new calls, waits for running calls, and closes everything, the store last.
   * `delayMs` defaults to `TOOLWIRE_SHUTDOWN_DELAY_MS` of the environment; if that is not set, to 5,000 for a replica and 0 otherwise.
   */
  close(options?: CloseOptions): Promise<void>
  [Symbol.asyncDispose](): Promise<void>
}

export const startGateway = async (config: GatewayConfig, options: GatewayOptions): Promise<Gateway> =>
  (await openGateway(config, options)).gateway

/** Time until a config that could not be applied is tried again. */
const retryMs = 1_000

/** Starts a gateway with the config found at `where` and applies its changes. The last usable config stays in force. */
export async function runGateway(where: WatchOptions, options: GatewayOptions): Promise<Gateway> {
  const waiting: (() => void)[] = []
  let opened: OpenedGateway | undefined
  let watched: WatchedConfig | undefined
  const shared = await openSharedConfig(where, options)
  const reportTrouble = (trouble: Error | undefined) => {
    shared?.troubled(trouble)
    opened?.reportTrouble(trouble)
  }
  let retry: NodeJS.Timeout | undefined
  /** The newest config; undefined once the gateway closes. */
  let newest: GatewayConfig | undefined
  /** Why the newest config is not in force. */
  let failure: Error | undefined
  const change = async (config: GatewayConfig, changes?: ConfigChanges): Promise<void> => {
    try {
      await opened?.gateway.change(config, changes)
      const wasFailing = failure !== undefined
      failure = undefined
      if (wasFailing) reportTrouble(watched?.trouble)
      shared?.applied(config, watched?.trouble)
    } catch (thrown) {
      const trouble = thrown instanceof Error ? thrown : new Error(String(thrown))
      if (failure?.message !== trouble.message) reportTrouble(trouble)
      failure = trouble
      if (config === newest) retry = setTimeout(() => void change(config), retryMs).unref()
    }
  }
  const onChange: OnConfigChange = (config, changes) => {
    clearTimeout(retry)
    newest = config
    if (opened) void change(config, changes)
    else waiting.push(() => void change(config, changes))
  }
  const close = () => {
    clearTimeout(retry)
    newest = undefined
    watched?.close()
  }
  try {
    watched = await watchConfig({ ...where, ...shared?.watching }, onChange, (trouble) => reportTrouble(trouble ?? failure))
    for (const warning of watched.current.warnings) options.onLog?.({ level: 'warning', message: warning })
    const first = watched.current
    opened = await openGateway(first, { ...options, load: where }, { store: shared?.store, onClose: close })
    shared?.applied(first, watched.trouble)
    if (watched.trouble) opened.reportTrouble(watched.trouble)
    for (const change of waiting) change()
    return opened.gateway
  } catch (thrown) {
    close()
    await shared?.store.close()
    throw thrown
  }
}

type OpenedGateway = { readonly gateway: Gateway; readonly reportTrouble: RunningGateway['configTroubled'] }

type Opening = {
  /** Open already; closed with the gateway. */
  readonly store?: Store | undefined
  readonly onClose?: () => void
}

async function openGateway(
  given: GatewayConfig,
  options: GatewayOptions,
  { store: shared, onClose }: Opening = {},
): Promise<OpenedGateway> {
  const state: GatewayState = { config: withExampleServers(given), port: 0, console: undefined, configTrouble: undefined }
  const warn = (message: string) =>
    options.onLog?.({ level: 'warning', message: cleanLogText(message, (text) => state.config.secrets.mask(text)) })
  const { dataDir, source } = state.config
  const isUpgrade = options.store === undefined && hasNoToken(dataDir)
  const resources = await openResources(state, { ...options, store: options.store ?? shared }, warn)
  if (source !== undefined && resources.store.fleet?.configs.newest !== undefined)
    warn(`The config is the file ${source}. The config in the database is not used here`)
  const { followed } = resources
  const running = new RunningGateway(state, resources, followed ? { replicas: followed, ...options } : options)
  let socket: LocalSocket | undefined
  let closing: Promise<void> | undefined
  const close = (options?: CloseOptions) => {
    onClose?.()
    closing ??= running
      .close(options)
      .then(() => socket?.close())
      .finally(() => {
        followed?.close()
        return resources.store.close()
      })
    return closing
  }
  try {
    await running.start()
    if (isUpgrade) warn(upgradeNote(dataDir))
    // A store given by the caller has a lock of its own, or none.
    if (!options.store) socket = new LocalSocket(running.server, { dataDir, source, onNote: warn })
    await socket?.open()
  } catch (thrown) {
    await close({ drainMs: 0, delayMs: 0 })
    throw thrown
  }
  const gateway = gatewayOf(running, close, options.stdio)
  return { gateway, reportTrouble: (trouble) => running.configTroubled(trouble) }
}

type ResourceOptions = Pick<GatewayOptions, 'env'> & { readonly store: Store | undefined }

async function openResources(state: GatewayState, options: ResourceOptions, warn: (message: string) => void) {
  const { redisUrl } = state.config
  const telemetry = await openTelemetry(options.env)
  let store: Store | undefined
  let logins: UpstreamLogins | undefined
  let followed: ReturnType<typeof followReplicas> | undefined
  try {
    store =
      options.store ??
      (await openConfiguredStore(state.config, {
        ...storeKeysIn(options.env),
        ...{ onNote: warn, version: packageVersion, spool: hasSpool(state.config) },
      }))
    const { audit } = store
    logins = await UpstreamLogins.open({
      store,
      version: packageVersion,
      upstreams: () => state.config.upstreams,
      waiting: () => state.config.trust?.waiting ?? [],
      log: () => (state.config.guard.audit ? audit : undefined),
      onNote: warn,
    })
    followed = store.fleet && followReplicas(store.fleet)
    const place = { redisUrl, postgres: store.fleet?.postgres, gateways: () => followed?.count() ?? 1 }
    return { store, logins, telemetry, followed, limits: await sharedLimits(place, warn) }
  } catch (thrown) {
    followed?.close()
    logins?.close()
    await store?.close()
    await telemetry?.close()
    throw thrown
  }
}

function gatewayOf(
  running: RunningGateway,
  close: (options?: CloseOptions) => Promise<void>,
  stdio: GatewayOptions['stdio'],
): Gateway {
  const { server, control, state } = running
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
    close,
    [Symbol.asyncDispose]: () => close(),
  }
}

/** Shown once, because the next start finds the token. */
const upgradeNote = (dataDir: string): string =>
  'New in this version: managing the gateway needs a credential, also on this machine. The toolwire command finds it automatically; other programs ' +
  `send the first line of ${join(dataDir, managementTokenFile)}, or a key with the scope toolwire:admin. Calls need no new credentials. Callers can no longer approve their own calls.`

const withExampleServers = (config: GatewayConfig): GatewayConfig =>
  config.source === undefined && config.version === undefined && config.upstreams.length === 0
    ? { ...config, upstreams: exampleUpstreams() }
    : config
