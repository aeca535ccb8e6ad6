// A running gateway. Its parts are opened in the order of their dependencies and closed in reverse.
import type { Server } from 'toolwire'
import { postgresStores } from 'toolwire/postgres'
import { checkKeyStrength } from '../access/key-strength.js'
import { loginRoutes } from '../api/routes/logins.js'
import { serverChangeRoutes } from '../api/routes/server-changes.js'
import { terminalInstructions } from '../approvals/approval-instructions.js'
import { announceLogHead, approvalNotifier } from '../approvals/approval-notifier.js'
import { withDeadline } from '../bounds/deadline.js'
import { type ConfigChanges, diffConfigs } from '../config/diff-configs.js'
import { createServerEdits } from '../config/editing/server-edits.js'
import type { ConsoleConfig, GatewayConfig } from '../config/gateway-config.js'
import { replicaAddress } from '../config/own-address.js'
import { shutdownDelayFrom } from '../config/settings/overrides.js'
import { untrustedLines } from '../config/trust/trust-messages.js'
import { consoleRoutes } from '../console/console-routes.js'
import { ConsoleServer } from '../console/console-server.js'
import { checkNotOpen, HttpServer } from '../http/http-server.js'
import { sendLoginReturn } from '../http/replicas/login-returns.js'
import { replicaSender } from '../http/replicas/replica-connection.js'
import type { ReplicaList } from '../http/replicas/replica-list.js'
import { replicaSessions } from '../http/replicas/replica-sessions.js'
import { restoreStats } from '../monitoring/stats/restore-stats.js'
import { newManagementToken } from '../store/management-token.js'
import { poolOf } from '../store/postgres/connection.js'
import { deriveKey } from '../store/secrets/seal.js'
import type { Store } from '../store/store.js'
import type { LoginOwner } from '../upstreams/logins/login-messages.js'
import type { LoginReturn } from '../upstreams/logins/logins.js'
import type { Upstream } from '../upstreams/upstream.js'
import { bindServerIdentities } from './bind-server-identities.js'
import type { GatewayOptions } from './gateway-options.js'
import { buildGateway, type GatewayParts, type GatewayResources, type GatewayState, locationOf } from './gateway-parts.js'
import { publishToken } from './publish-token.js'

/** Maximum wait until the lists of open upstreams are offered. */
const offerMs = 5_000
/** Maximum time after the start in which the gateway is not ready because a server is still being opened. */
const readyMs = 30_000
/** Longer than the usual interval between two health checks of a load balancer. */
const replicaDelayMs = 5_000

/** Maximum time for running calls, and the time between the announcement of the end and the refusal of new calls. */
export type CloseOptions = { readonly drainMs?: number; readonly delayMs?: number }

function sharedSessionsOf(store: Store) {
  const { fleet } = store
  if (!fleet) return undefined
  const { sessions } = postgresStores(poolOf(fleet.postgres), { replicas: 1 })
  return replicaSessions(sessions, () => store.trouble !== undefined)
}

export class RunningGateway {
  readonly server: Server
  readonly control: GatewayParts['control']
  readonly state: GatewayState
  readonly #parts: GatewayParts
  readonly #options: GatewayOptions
  readonly #stops: (() => void)[] = []
  #notifier: ReturnType<typeof approvalNotifier> | undefined
  #http: HttpServer | undefined
  #publish: ((config: GatewayConfig) => () => void) | undefined
  #isOpening = true
  #changing: Promise<void> = Promise.resolve()
  /** The config whose changes were all applied. */
  #applied: GatewayConfig
  /** The config whose sets are served; one that is being applied, or could not be, is not served yet. */
  #served: GatewayConfig
  /** The pinning that has checked the registered tools. */
  #pinning: GatewayParts['guard']['pinning']

  constructor(state: GatewayState, resources: GatewayResources, options: GatewayOptions) {
    this.state = state
    this.#applied = state.config
    this.#served = state.config
    this.#options = options
    this.#parts = buildGateway(state, resources, options, {
      restart: (id) => this.#restart(id),
      rulesChanged: () => this.#rulesChanged(),
      upstreamReached: (upstream) => this.#storeIdentity(upstream),
      upstreamReplaced: (upstream) => this.#restartReplaced(upstream),
    })
    resources.logins.onChange = (whose) => this.#loginChanged(whose)
    this.server = this.#parts.endpoints.everything.server
    this.control = this.#parts.control
  }

  async start(): Promise<void> {
    const { config } = this.state
    const { policy, guard, endpoints, upstreams } = this.#parts
    checkNotOpen(config)
    checkKeyStrength(config)
    await this.#bindIdentities(config)
    await policy.open(config.policy)
    endpoints.guard(await guard.guardingFor(config))
    this.#followStore(config)
    upstreams.useConfigs(config.upstreams)
    this.#serve(config)
    const opened = () => {
      this.#isOpening = false
    }
    endpoints.everything.open('eager', readyMs).then(opened, opened)
    await this.#open()
    await this.#listen(config)
    // A reload may have brought another config meanwhile.
    this.#announceApprovals()
  }

  /** Applies another config without touching parts that are the same in both. Changes are applied in turn. */
  change(config: GatewayConfig, changes: ConfigChanges): Promise<void> {
    const { auditLog, changes: records } = this.#parts
    // Switching the audit log off is its last record.
    const before = auditLog()
    this.state.config = config
    records.configChanged(config, changes, auditLog() ?? before)
    const changed = this.#changing.then(() => this.#change(config))
    this.#changing = changed.catch(() => undefined) // the caller gets the error
    return changed
  }

  /** Reports a problem of the watched config, or with undefined the end of the problem. */
  configTroubled(trouble: Error | undefined): void {
    const { version } = this.state.config
    this.state.configTrouble = trouble
    this.#parts.log.reportTrouble('config', trouble, version === undefined ? undefined : `version ${version} is in force`)
  }

  /** Refuses new calls and lets running ones end. Nothing is written afterwards. */
  async close({ drainMs, delayMs = this.#shutdownDelayMs() }: CloseOptions = {}): Promise<void> {
    const { shutdown, endpoints, observer, policy, logins, upstreams, store } = this.#parts
    const { console } = this.state
    shutdown.announce()
    this.#http?.leave()
    // A load balancer has to see that this replica is not ready before its calls would be refused.
    if (delayMs > 0) await new Promise((resolve) => setTimeout(resolve, delayMs))
    shutdown.begin()
    // With replicas, the server stays open until the last call is over, because other replicas forward messages about calls here.
    if (!this.#options.replicas) this.#http?.shut()
    console?.shut()
    await Promise.all([endpoints.drain(drainMs), observer.runningCalls.endAll(drainMs)])
    for (const stop of this.#stops) stop()
    this.#parts.retention.close()
    this.#notifier?.close()
    policy.close()
    endpoints.close()
    await this.#http?.close()
    await console?.close()
    logins.close()
    await Promise.all(upstreams.all.map((upstream) => upstream.close()))
    await this.#parts.changes.close()
    await this.#parts.records.close()
    await store.audit.quiet()
    await this.#parts.witness.close()
    await this.#parts.limits.close()
    await this.#parts.telemetry?.close()
  }

  #shutdownDelayMs(): number {
    const { replicas, env } = this.#options
    return shutdownDelayFrom(env) ?? (replicas ? replicaDelayMs : 0)
  }

  /** Starts the tasks that run beside calls. */
  #followStore(config: GatewayConfig): void {
    this.#logUntrusted()
    this.#parts.retention.use(config.retention)
    this.#parts.changes.started(config)
    this.#parts.witness.use(config.witness)
    this.#restoreStats()
    this.#stops.push(announceLogHead(this.#parts.store, this.#parts.log))
  }

  /** Requires the port, because pending calls from before the start are announced at once, with the commands that decide them. */
  #announceApprovals(): void {
    const { store, log, decisions } = this.#parts
    const commands = (id: string) => terminalInstructions(locationOf(this.state), id)
    this.#notifier = approvalNotifier({ store, decisions, log, commands }, this.state.config)
  }

  async #listen(config: GatewayConfig): Promise<void> {
    const { control, endpoints, log, logins } = this.#parts
    if (config.console) this.state.console = this.#consoleFor(config.console)
    const routes = [...consoleRoutes(this.state.console), ...loginRoutes(logins)]
    const token = newManagementToken()
    const { replicas: list } = this.#options
    const replicas = list && this.#connectReplicas(list)
    const sessions = sharedSessionsOf(this.#parts.store)
    const isOpening = () => this.#isOpening
    this.#http = new HttpServer({ config, control, token, endpoints: endpoints.servers, isOpening, routes, replicas, sessions })
    const { address, port } = await this.#http.listen()
    this.state.port = port
    await list?.announce?.(replicaAddress(address, port, this.#options.env))
    const { env } = this.#options
    // The directory and the port are those of the start until the next one.
    const { dataDir, port: wanted } = config
    this.#publish = (now) => publishToken({ token, address, port }, { config: { ...now, dataDir, port: wanted }, env, log })
    this.#stops.push(this.#publish(config))
    await this.state.console?.listen()
  }

  #connectReplicas(list: ReplicaList) {
    const { store, logins } = this.#parts
    const key = deriveKey(store.digestKey, 'toolwire replicas')
    const send = replicaSender({ key, self: list.self })
    logins.finishAt = (replica, given) => sendLoginReturn({ list, send }, replica, given)
    return { list, key, send, finishLogin: (given: LoginReturn) => logins.finish(given) }
  }

  #consoleFor(config: ConsoleConfig): ConsoleServer {
    const { control, log, logins } = this.#parts
    const edits = createServerEdits({ config: () => this.state.config, load: this.#options.load })
    const routes = [...serverChangeRoutes(edits), ...loginRoutes(logins)]
    const onNote = (words: string) => log.write('info', words)
    const { apiKey } = this.state.config
    return new ConsoleServer({ config, control, apiKey, routes, onNote, ...this.#options.console })
  }

  /** Changes the guard first, so that new tools are never visible or callable under the old config. */
  async #change(config: GatewayConfig): Promise<void> {
    const { log, policy, endpoints } = this.#parts
    // An earlier change may have failed midway, so its changes are still to be applied.
    const { restart, settings, ...upstreams } = diffConfigs(this.#applied, config)
    if (restart.length > 0) log.write('warning', `Restart the gateway to apply the changes of ${restart.join(', ')}`)
    await policy.change(config.policy)
    if (settings.includes('policy')) this.#publish?.(config)
    if (settings.some((name) => name === 'guard' || name === 'approvals')) await this.#changeGuard(config)
    if (settings.includes('trust')) this.#logUntrusted()
    if (settings.includes('retention')) this.#parts.retention.use(config.retention)
    if (settings.includes('witness')) this.#parts.witness.use(config.witness)
    if (settings.includes('clients')) endpoints.announce()
    if (settings.includes('webhook')) this.#notifier?.use(config)
    // A server that waited for trust may be accepted now.
    if (this.#applied.upstreams.some(({ waits }) => waits)) await this.#bindIdentities(config)
    const gone = this.#parts.upstreams.useConfigs(config.upstreams)
    const servers = serverChangesText(upstreams)
    if (servers !== '')
      log.write('info', `The config has changed${config.source ? ` (${config.source})` : ''}. Servers ${servers}`)
    if (settings.includes('sets') || Object.values(upstreams).some((ids) => ids.length > 0)) this.#serve(config)
    await Promise.all([this.#open(), ...gone.map((upstream) => upstream.close())])
    this.#applied = config
    log.add('config', { what: 'changed' })
  }

  #bindIdentities({ upstreams }: GatewayConfig): Promise<void> {
    const { store, identify, guard, log } = this.#parts
    const onNote = (words: string) => log.write('warning', words)
    return bindServerIdentities({ store, upstreams, identify, onNote, onBound: (pin) => guard.pinning?.noteAccepted(pin) })
  }

  #logUntrusted(): void {
    const { trust } = this.state.config
    for (const line of untrustedLines(trust?.waiting ?? [])) this.#parts.log.write('warning', line)
  }

  async #changeGuard(config: GatewayConfig): Promise<void> {
    const { guard, endpoints } = this.#parts
    endpoints.guard(await guard.guardingFor(config))
    // New pinning has not checked any tool yet, so all tools are registered again.
    if (guard.pinning !== this.#pinning) this.#serve(config)
  }

  #serve(config: GatewayConfig): void {
    const { endpoints, upstreams, guard } = this.#parts
    this.#pinning = guard.pinning
    this.#served = config
    endpoints.use(upstreams.all, config)
    this.#http?.serve(endpoints.servers)
  }

  /** Runs in the background, because nobody waits for charts. */
  #restoreStats(): void {
    const { observer, store, log } = this.#parts
    const stopped = new AbortController()
    this.#stops.push(() => stopped.abort())
    const failed = (thrown: unknown) => {
      const why = thrown instanceof Error ? thrown.message : String(thrown)
      if (!stopped.signal.aborted) log.write('warning', `The charts start empty, because the audit log cannot be read: ${why}`)
    }
    void restoreStats(observer.stats, store, stopped.signal).catch(failed)
  }

  /** Opens the eager upstreams and waits until their definitions were checked. */
  async #open(): Promise<void> {
    const { endpoints, guard } = this.#parts
    await endpoints.everything.open('eager', this.#options.openMs)
    // The timeout bounds the wait for a server whose lists change all the time.
    await withDeadline(offerMs, endpoints.made(), () => undefined)
    await guard.pinning?.settled()
  }

  async #loginChanged({ server, user }: LoginOwner): Promise<void> {
    if (user === undefined) await this.#restart(server)
    else this.#parts.upstreams.all.find(({ id }) => id === server)?.forgetCaller(user)
  }

  async #restart(id: string): Promise<boolean> {
    const { upstreams, endpoints } = this.#parts
    const old = upstreams.replace(id)
    if (!old) return false
    endpoints.use(upstreams.all, this.#served)
    await old.close()
    await upstreams.all.find((upstream) => upstream.id === id)?.start()
    await this.#open()
    return true
  }

  /** The upstream's program has changed. It restarts as another server, which inherits nothing granted to the old one. */
  #restartReplaced(upstream: Upstream): void {
    const { upstreams, log } = this.#parts
    const renewed = this.#changing.then(async () => {
      if (upstreams.all.includes(upstream)) await this.#restart(upstream.id)
    })
    this.#changing = renewed.catch((thrown: unknown) => log.write('error', `${upstream.id}: ${String(thrown)}`))
  }

  /** Stores the identity, so that a later change of the server under this name can be described. */
  #storeIdentity({ id, identity }: Upstream): void {
    // The store's `trouble` reports failures of the disk.
    this.#parts.store.servers.add(id, identity).catch(() => undefined)
  }

  #rulesChanged(): void {
    const { log, policy, changes, endpoints } = this.#parts
    log.add('policy', { what: 'changed', version: policy.current.version })
    log.write('info', 'The rules have changed, and the new ones are in force')
    changes.policyChanged(this.state.config)
    endpoints.refresh()
    endpoints.announceAll()
  }
}

/** For example `added: files; removed: shop, everything`. */
function serverChangesText({ added, removed, changed }: Pick<ConfigChanges, 'added' | 'removed' | 'changed'>): string {
  const parts = Object.entries({ added, removed, restarted: changed })
  return parts.flatMap(([what, ids]) => (ids.length > 0 ? [`${what}: ${ids.join(', ')}`] : [])).join('; ')
}
