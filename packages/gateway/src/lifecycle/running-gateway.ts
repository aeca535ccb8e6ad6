// A gateway that runs: its parts, put together in the order in which they need each other, and taken apart in the opposite one.
import { RpcError, type Server } from 'toolwire'
import type { AuditLog } from 'toolwire/guard'
import { checkKeyStrength } from '../access/key-strength.js'
import { ApiCalls } from '../api/control/api-calls.js'
import type { Control, GatewayHealth } from '../api/control/control.js'
import { createControl } from '../api/control/create-control.js'
import { healthOf } from '../api/control/status-views.js'
import { loginRoutes } from '../api/routes/logins.js'
import { serverChangeRoutes } from '../api/routes/server-changes.js'
import { callerInstructions, type GatewayLocation, terminalInstructions } from '../approvals/approval-instructions.js'
import { ApprovalNotifier, announceLogHead } from '../approvals/approval-notifier.js'
import { ApprovalDecisions } from '../approvals/decide-approvals.js'
import { AggregateServers } from '../catalog/aggregate-servers.js'
import { ClientViews } from '../catalog/clients/client-views.js'
import type { ListedDefinition } from '../catalog/definitions/settle-names.js'
import { misspelledServers } from '../catalog/missing-names/in-rules.js'
import { NameCheck } from '../catalog/missing-names/name-check.js'
import { exposedName } from '../catalog/names/exposed-name.js'
import type { UpstreamCatalog } from '../catalog/upstream-catalog.js'
import { waitAtMost } from '../catalog/wait-at-most.js'
import type { ConfigChanges } from '../config/diff-configs.js'
import { createServerEdits } from '../config/editing/create-server-edits.js'
import type { ConsoleConfig, GatewayConfig, UpstreamConfig } from '../config/gateway-config.js'
import type { LoadOptions } from '../config/load-config.js'
import { type IdentifyServer, serverIdentifier } from '../config/servers/server-identity.js'
import { untrustedLines } from '../config/trust/trust-messages.js'
import { consoleRoutes } from '../console/console-routes.js'
import { ConsoleServer } from '../console/console-server.js'
import { Guard } from '../guard/guard.js'
import { type SharedLimits, sharedLimits } from '../guard/limits/shared-limits.js'
import { PinRegistry } from '../guard/pins/pin-registry.js'
import { PolicyFile } from '../guard/policy/policy-file.js'
import { SanitizedText } from '../guard/sanitized-text.js'
import { Shutdown } from '../guard/shutdown.js'
import { RegisteredTools } from '../guard/tools/registered-tools.js'
import { checkNotOpen, HttpServer } from '../http/http-server.js'
import type { RunningCalls } from '../monitoring/calls/running-calls.js'
import { EventFeed } from '../monitoring/event-feed.js'
import { Metrics } from '../monitoring/metrics.js'
import { observeCalls } from '../monitoring/observe-calls.js'
import { restoreStats } from '../monitoring/stats/restore-stats.js'
import type { Telemetry } from '../monitoring/telemetry.js'
import { recordQuestions } from '../relay/record-questions.js'
import { BoundedRecords } from '../store/audit/bounded-records.js'
import { RetentionSchedule } from '../store/audit/retention-schedule.js'
import { newManagementToken } from '../store/management-token.js'
import type { Store } from '../store/store.js'
import { WitnessSchedule } from '../store/witness/witness-schedule.js'
import type { UpstreamLogins } from '../upstreams/logins/upstream-logins.js'
import type { UpstreamClientOptions } from '../upstreams/open-client.js'
import type { Upstream } from '../upstreams/upstream.js'
import { UpstreamSet } from '../upstreams/upstream-set.js'
import { bindServerIdentities } from './bind-server-identities.js'
import { ChangeRecords } from './change-records.js'
import { GatewayLog, type GatewayLogEntry } from './gateway-log.js'
import { publishToken } from './publish-token.js'

// The calls that are left when a gateway ends: they have their time, and then they are told that it is over. Of a task nobody will hear
// any more, but its upstream does, and the log.
const internalError = -32603

const usualMs = 10_000

/** How long a call may take to end that has been told to. */
const lastMs = 1_000

const lookEveryMs = 20

async function endCalls(flights: RunningCalls, ms = usualMs): Promise<void> {
  await over(flights, ms)
  for (const { call } of flights.list()) call.context.abort(stopped())
  await over(flights, lastMs)
}

async function over(flights: RunningCalls, ms: number): Promise<void> {
  const end = performance.now() + ms
  while (flights.size > 0 && performance.now() < end) await new Promise((resolve) => setTimeout(resolve, lookEveryMs))
}

const stopped = (): RpcError =>
  new RpcError(internalError, 'outcome_unknown: the gateway was stopped before the call was over, which may have done its work')

/** What upstreams list besides tools, offered or not. */
const otherDefinitions = (all: readonly UpstreamCatalog[]): readonly Pick<ListedDefinition, 'server' | 'kind' | 'name'>[] =>
  all.flatMap(({ upstream: { id, config }, prompts, resources, templates }) => [
    ...prompts.map(({ name }) => ({ server: id, kind: 'prompt' as const, name: exposedName(config.prefix, String(name)) })),
    ...resources.map(({ uri }) => ({ server: id, kind: 'resource' as const, name: String(uri) })),
    ...templates.map(({ uriTemplate }) => ({ server: id, kind: 'template' as const, name: String(uriTemplate) })),
  ])

/** How long what is listed may take to be offered before it is not waited for. */
const patienceMs = 5_000

export type RunningGatewayOptions = {
  readonly store: Store
  readonly version: string
  readonly onLog: (entry: GatewayLogEntry) => void
  readonly patienceMs: number
  readonly optionsFor: (config: UpstreamConfig) => UpstreamClientOptions
  readonly logins: UpstreamLogins
  readonly telemetry: Telemetry | undefined
  readonly console: { readonly page?: string; readonly now?: () => number }
  /** How the config was read, where it was. */
  readonly load: LoadOptions | undefined
  /** Where commands of this account look for data. */
  readonly usualDataDir: string | undefined
}

export class RunningGateway {
  /** As the operator has it now. */
  config: GatewayConfig
  port = 0
  console: ConsoleServer | undefined
  readonly #options: RunningGatewayOptions
  readonly #events = new EventFeed()
  readonly #metrics = new Metrics()
  readonly #leaving = new Shutdown()
  readonly #observing = observeCalls({
    events: this.#events,
    metrics: this.#metrics,
    onArrival: (call) => this.#leaving.noteArrival(call),
  })
  readonly #catalogue = new RegisteredTools((tool) => this.#guard?.pinning?.noteTool(tool))
  readonly #ownCalls = new ApiCalls()
  readonly #words = new SanitizedText()
  readonly #news: GatewayLog
  readonly #decisions: ApprovalDecisions
  readonly #lineUp: UpstreamSet
  readonly #policy: PolicyFile
  readonly #retaining: RetentionSchedule
  readonly #witnessing: WitnessSchedule
  readonly #records: BoundedRecords
  readonly #changes: ChangeRecords
  readonly #pins: PinRegistry
  readonly #names: NameCheck
  readonly #identify: IdentifyServer
  readonly #stops: (() => void)[] = []
  #guard: Guard | undefined
  #limits: SharedLimits | undefined
  #endpoints: AggregateServers | undefined
  #told: ApprovalNotifier | undefined
  #door: HttpServer | undefined
  #configTrouble: Error | undefined
  #changing: Promise<void> = Promise.resolve()

  /** Of the endpoint with everything. */
  get url(): string {
    const { host } = this.config
    return `http://${host.includes(':') ? `[${host}]` : host}:${this.port}/mcp`
  }

  get #whereabouts(): GatewayLocation {
    return { url: this.url, consoleUrl: this.console?.url }
  }

  constructor(config: GatewayConfig, options: RunningGatewayOptions) {
    const { store, onLog, optionsFor } = options
    this.config = config
    this.#options = options
    this.#news = new GatewayLog({ events: this.#events, onLog, mask: (text) => this.config.secrets.mask(text) })
    this.#retaining = new RetentionSchedule(store, (words) => this.#news.write('error', words))
    const mask = (text: string) => this.config.secrets.mask(text)
    this.#pins = new PinRegistry({ store, events: this.#events, pinning: () => this.#guard?.pinning, mask })
    this.#identify = serverIdentifier(store.servers.salt)
    this.#witnessing = new WitnessSchedule({
      audit: store.audit,
      onTrouble: (words) => this.#news.write(words ? 'error' : 'info', words ?? 'The witness takes the heads of the log again'),
    })
    const log = () => this.#log
    const onTrouble = (words: string) => this.#news.write('error', words)
    this.#records = new BoundedRecords({ log: () => this.#log, onTrouble })
    this.#decisions = new ApprovalDecisions({
      store,
      events: this.#events,
      refused: (one) => this.#records.note(one),
      get log() {
        return log()
      },
    })
    this.#names = new NameCheck({
      config: () => this.config,
      rules: () => (this.#policy.path === undefined ? undefined : this.#policy.current),
      onChange: (missing, found) => this.#news.names(missing, found),
    })
    this.#policy = new PolicyFile(config.guard.approvals, {
      onChange: () => this.#rulesChanged(),
      onTrouble: (trouble) => this.#news.reportTrouble('policy', trouble),
      toolsFor: this.#names.toolsByConfig,
      check: (book) =>
        misspelledServers(
          book,
          this.config.upstreams.map(({ id }) => id),
        ),
    })
    this.#changes = new ChangeRecords({
      store,
      records: this.#records,
      policy: this.#policy,
      isOn: () => this.#log !== undefined,
      onTrouble,
    })
    this.#lineUp = new UpstreamSet({
      optionsFor: (upstream) => ({
        ...optionsFor(upstream),
        identify: this.#identify,
        words: this.#words.policyWords,
        onNote: (kind, text) =>
          kind === 'stderr' ? this.#news.printed(upstream.id, text) : this.#news.write('warning', `${upstream.id}: ${text}`),
      }),
      onChange: (upstream, { kind }) => {
        if (kind === 'replaced') this.#replaced(upstream)
        if (kind !== 'status') return
        if (upstream.status.state === 'ready') this.#reached(upstream)
        this.#news.upstream(upstream)
      },
    })
  }

  /** Gives the server for everything, and what can be seen and done. */
  async start(): Promise<{ readonly server: Server; readonly control: Control }> {
    const { config } = this
    const { store } = this.#options
    checkNotOpen(config)
    checkKeyStrength(config)
    await bindServerIdentities({
      store,
      upstreams: config.upstreams,
      identify: this.#identify,
      onNote: (words) => this.#news.write('warning', words),
    })
    this.#limits = await sharedLimits(config.redisUrl, (words) => this.#news.write('warning', words))
    await this.#policy.open(config.policy)
    this.#guard = this.#guardWith(this.#limits)
    const endpoints = await this.#makeEndpoints(this.#guard)
    this.#endpoints = endpoints
    const control = this.#controlOf(endpoints)
    this.#tellTrust()
    this.#retaining.use(config.retention)
    this.#changes.started(config)
    this.#witnessing.use(config.witness)
    this.#restoreStats()
    this.#told = new ApprovalNotifier(
      { store, decisions: this.#decisions, news: this.#news, commands: (id) => terminalInstructions(this.#whereabouts, id) },
      config,
    )
    this.#stops.push(announceLogHead(store, this.#news))
    this.#lineUp.useConfigs(config.upstreams)
    endpoints.use(this.#lineUp.all, config)
    await this.#open()
    if (config.console) this.console = this.#consoleOf(config.console, control)
    const { logins } = this.#options
    logins.onChange = (id) => this.#restart(id)
    const routes = [...consoleRoutes(this.console), ...loginRoutes(logins)]
    const token = newManagementToken()
    this.#door = new HttpServer({ config, control, token, endpoints: endpoints.servers, routes })
    const { address, port } = await this.#door.listen()
    this.port = port
    const place = { usualDataDir: this.#options.usualDataDir, news: this.#news }
    this.#stops.push(publishToken(config, { token, address, port }, place))
    await this.console?.listen()
    return { server: endpoints.everything.server, control }
  }

  /** Puts another config in force, without touching what is the same in both; one after the other. */
  change(config: GatewayConfig, changes: ConfigChanges): Promise<void> {
    // That the log was switched off is the last thing in it.
    const log = this.#log
    this.config = config
    this.#changes.configChanged(config, changes, this.#log ?? log)
    const changed = this.#changing.then(() => this.#change(config, changes))
    this.#changing = changed.catch(() => undefined) // the caller gets the error
    return changed
  }

  configTroubled(trouble: Error | undefined): void {
    this.#configTrouble = trouble
    this.#news.reportTrouble('config', trouble)
  }

  /** Refuses what is new, and lets end what has begun; afterwards nothing is written any more. */
  async close(drainMs?: number): Promise<void> {
    this.#leaving.begin()
    this.#door?.shut()
    this.console?.shut()
    await Promise.all([this.#endpoints?.drain(drainMs), endCalls(this.#observing.runningCalls, drainMs)])
    for (const stop of this.#stops) stop()
    this.#retaining.close()
    this.#told?.close()
    this.#policy.close()
    this.#endpoints?.close()
    await this.#door?.close()
    await this.console?.close()
    this.#options.logins.close()
    await Promise.all(this.#lineUp.all.map((upstream) => upstream.close()))
    this.#changes.close()
    await this.#records.close()
    await this.#options.store.audit.quiet()
    await this.#witnessing.close()
    await this.#limits?.close()
    await this.#options.telemetry?.close()
  }

  health(): GatewayHealth {
    return healthOf({
      leaving: this.#leaving.hasBegun,
      auditIsOn: this.#log !== undefined,
      storeTrouble: this.#options.store.trouble,
      policyTrouble: this.#policy.trouble,
      configTrouble: this.#configTrouble,
      missing: this.#names.missingNames,
      upstreams: this.#lineUp.all,
      untrusted: this.config.trust?.waiting ?? [],
      heldBack: this.#pins.waiting,
      mask: (text) => this.config.secrets.mask(text),
    })
  }

  get #log(): AuditLog | undefined {
    return this.config.guard.audit ? this.#options.store.audit : undefined
  }

  /** The guard comes first: what is new is not to be called, or seen, as the old config had it. */
  async #change(config: GatewayConfig, { restart, settings, ...upstreams }: ConfigChanges): Promise<void> {
    if (restart.length > 0) this.#news.write('warning', `${restart.join(', ')}: in force when the gateway is started again`)
    await this.#policy.change(config.policy)
    if (settings.some((name) => name === 'guard' || name === 'approvals')) await this.#guardAs(config)
    if (settings.includes('trust')) this.#tellTrust()
    if (settings.includes('retention')) this.#retaining.use(config.retention)
    if (settings.includes('witness')) this.#witnessing.use(config.witness)
    if (settings.includes('clients')) this.#endpoints?.announce('all')
    this.#told?.use(config)
    const gone = this.#lineUp.useConfigs(config.upstreams)
    if (settings.includes('sets') || Object.values(upstreams).some((ids) => ids.length > 0)) this.#offer(config)
    await Promise.all([this.#open(), ...gone.map((upstream) => upstream.close())])
    this.#news.add('config', { what: 'changed' })
  }

  #tellTrust(): void {
    for (const line of untrustedLines(this.config.trust?.waiting ?? [])) this.#news.write('warning', line)
  }

  async #guardAs(config: GatewayConfig): Promise<void> {
    const pinned = this.#guard?.pinning
    const guarding = await this.#guard?.guardingFor(config)
    if (guarding) this.#endpoints?.guard(guarding)
    // Tools that nobody has looked at yet come by again.
    if (this.#guard?.pinning !== pinned) this.#offer(config)
  }

  #offer(config: GatewayConfig): void {
    this.#endpoints?.use(this.#lineUp.all, config)
    if (this.#endpoints) this.#door?.serve(this.#endpoints.servers)
  }

  #guardWith({ store: limits }: SharedLimits): Guard {
    const { store, patienceMs, telemetry } = this.#options
    return new Guard({
      store,
      limits,
      policy: this.#policy,
      pinning: {
        store: store.pins,
        onDrift: (drifts) => {
          this.#news.drifted(drifts.map((drift) => this.#pins.withServer(drift)))
          this.#changes.drifted(drifts)
        },
        onAccepted: (definitions) => this.#changes.accepted(definitions),
        listed: () => this.#catalogue.named(this.#endpoints?.everything.server.tools.names ?? []),
        listedBesides: () => otherDefinitions(this.#endpoints?.everything.holdings ?? []),
        registered: async () => this.#endpoints?.made(),
        onChange: (names) => this.#endpoints?.announce(names),
        onServer: () => this.#endpoints?.refresh(),
        onTrouble: (words) => this.#news.write('error', words),
      },
      observing: this.#observing,
      words: this.#words,
      catalogue: this.#catalogue,
      leaving: this.#leaving,
      patienceMs,
      telemetry,
      howTo: (id) => callerInstructions(this.#whereabouts, id),
    })
  }

  async #makeEndpoints(guard: Guard): Promise<AggregateServers> {
    const { version } = this.#options
    const { toolViewFor: showingFor } = new ClientViews({
      clients: () => this.config.clients ?? {},
      onNote: (text) => this.#news.write('warning', text),
    })
    const about = { name: 'toolwire', title: 'Toolwire gateway', version, http: this.#ownCalls.http, showingFor }
    const server = { ...about, ...guard.serverOptions, ...(await guard.guardingFor(this.config)) }
    return new AggregateServers({
      server,
      onNote: (text) => this.#news.write('warning', text),
      onProgress: this.#observing.progressed,
      heldBack: this.#names.heldBack,
      isAnother: ({ id, identity }) => this.#guard?.pinning?.anotherThan(id, identity.id) !== undefined,
      isOpen: (listed) => this.#guard?.pinning?.isListedOpen(listed) ?? true,
      onMade: () => this.#guard?.pinning?.tidy(),
      onQuestion: recordQuestions(() => this.#log),
    })
  }

  #controlOf(endpoints: AggregateServers): Control {
    const { version, store } = this.#options
    return createControl({
      version,
      store,
      log: () => this.#log,
      events: this.#events,
      metrics: this.#metrics,
      decisions: this.#decisions,
      observing: this.#observing,
      catalogue: this.#catalogue,
      lineUp: this.#lineUp,
      endpoints,
      policy: this.#policy,
      pinning: () => this.#guard?.pinning,
      pins: this.#pins,
      ownCalls: this.#ownCalls,
      names: this.#names,
      logins: this.#options.logins,
      config: () => this.config,
      health: () => this.health(),
      restart: (id) => this.#restart(id),
      refused: (one) => this.#records.note(one),
    })
  }

  #consoleOf(config: ConsoleConfig, control: Control): ConsoleServer {
    const { load, logins } = this.#options
    const edits = createServerEdits({ config: () => this.config, load })
    const routes = [...serverChangeRoutes(edits), ...loginRoutes(logins)]
    return new ConsoleServer({
      config,
      control,
      routes,
      onNote: (words) => this.#news.write('info', words),
      ...this.#options.console,
    })
  }

  /** In the background: nobody waits for charts. */
  #restoreStats(): void {
    const stopped = new AbortController()
    this.#stops.push(() => stopped.abort())
    const failed = (thrown: unknown) => {
      const why = thrown instanceof Error ? thrown.message : String(thrown)
      if (!stopped.signal.aborted) this.#news.write('warning', `The charts begin anew, as the audit log cannot be read: ${why}`)
    }
    void restoreStats(this.#observing.stats, this.#options.store, stopped.signal).catch(failed)
  }

  /** Opens what is to be open from the start, and waits until what is listed there was looked at. */
  async #open(): Promise<void> {
    await this.#endpoints?.everything.open('eager')
    // One whose lists change all the time keeps nobody waiting.
    if (this.#endpoints) await waitAtMost(patienceMs, this.#endpoints.made())
    await this.#guard?.pinning?.settled()
  }

  async #restart(id: string): Promise<boolean> {
    const old = this.#lineUp.replace(id)
    if (!old) return false
    this.#endpoints?.use(this.#lineUp.all, this.config)
    await old.close()
    await this.#lineUp.all.find((upstream) => upstream.id === id)?.start()
    await this.#open()
    return true
  }

  /** Its program is another one than before: from now on it is another server, which has nothing of what the old one was given. */
  #replaced(upstream: Upstream): void {
    const renewed = this.#changing.then(async () => {
      if (this.#lineUp.all.includes(upstream)) await this.#restart(upstream.id)
    })
    this.#changing = renewed.catch((thrown: unknown) => this.#news.write('error', `${upstream.id}: ${String(thrown)}`))
  }

  /** To say what has changed, should another server have its name some day. */
  #reached({ id, identity }: Upstream): void {
    // The store's `trouble` reports failures of the disk.
    this.#options.store.servers.add(id, identity).catch(() => undefined)
  }

  #rulesChanged(): void {
    this.#news.add('policy', { what: 'changed', version: this.#policy.current.version })
    this.#news.write('info', 'Other rules are in force')
    this.#changes.policyChanged(this.config)
    this.#endpoints?.refresh()
    this.#endpoints?.announce('all')
  }
}
