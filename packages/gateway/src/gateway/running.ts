// A gateway that runs: its parts, put together in the order in which they need each other, and taken apart in the opposite one.
import type { Server } from 'toolwire'
import type { AuditLog } from 'toolwire/guard'
import type { GatewayConfig, UpstreamConfig } from '../config/config.js'
import type { ConfigChanges } from '../config/diff.js'
import type { Control, Health } from '../door/control.js'
import { Decisions } from '../door/decisions.js'
import { Door, refuseOpen } from '../door/door.js'
import { Events } from '../door/events.js'
import { Metrics } from '../door/metrics.js'
import type { Store } from '../store/store.js'
import type { UpstreamOptions } from '../upstreams/way.js'
import { ApprovalsTold, tellHead } from './approvals-told.js'
import { type AskWhom, approverFor } from './approver.js'
import { Catalogue } from './catalogue.js'
import { controlOf } from './control-of.js'
import { Endpoints } from './endpoints.js'
import { guarding } from './guarding.js'
import { Leaving } from './leaving.js'
import { LineUp } from './line-up.js'
import { type Entry, News } from './news.js'
import { observing } from './observing.js'
import { OwnCalls } from './own-calls.js'
import { Pinning } from './pinning.js'
import { PolicyFile } from './policy-file.js'
import { type SharedLimits, sharedLimits } from './shared-limits.js'
import { healthOf } from './views.js'

export type RunningOptions = {
  readonly store: Store
  readonly version: string
  readonly onLog: (entry: Entry) => void
  readonly ask: AskWhom
  readonly patienceMs: number
  readonly optionsFor: (config: UpstreamConfig) => UpstreamOptions
}

/** What a gateway that runs can take over; the rest holds from the next start on. */
const live: ReadonlySet<string> = new Set(['sets', 'policy', 'logLevel', 'webhook'])

export class Running {
  /** As the operator has it now; what of it is in force from the next start on, `#begun` has as it is. */
  config: GatewayConfig
  port = 0
  readonly #begun: GatewayConfig
  readonly #options: RunningOptions
  readonly #events = new Events()
  readonly #metrics = new Metrics()
  readonly #leaving = new Leaving()
  readonly #observing = observing({
    events: this.#events,
    metrics: this.#metrics,
    onArrival: (call) => this.#leaving.arrived(call),
  })
  readonly #catalogue = new Catalogue((tool) => this.#pinning?.arrived(tool))
  readonly #ownCalls = new OwnCalls()
  readonly #news: News
  readonly #log: AuditLog | undefined
  readonly #decisions: Decisions
  readonly #lineUp: LineUp
  readonly #policy: PolicyFile
  readonly #stops: (() => void)[] = []
  #pinning: Pinning | undefined
  #limits: SharedLimits | undefined
  #endpoints: Endpoints | undefined
  #told: ApprovalsTold | undefined
  #door: Door | undefined
  #configTrouble: Error | undefined

  constructor(config: GatewayConfig, options: RunningOptions) {
    const { store, onLog, optionsFor } = options
    this.config = config
    this.#begun = config
    this.#options = options
    this.#log = config.guard.audit ? store.audit : undefined
    this.#news = new News({ events: this.#events, onLog, mask: (text) => this.config.secrets.mask(text) })
    this.#decisions = new Decisions({ store, log: this.#log, events: this.#events })
    this.#policy = new PolicyFile({
      approvals: config.guard.approvals,
      onChange: () => this.#rulesChanged(),
      onTrouble: (trouble) => this.#news.troubled('policy', trouble),
    })
    this.#lineUp = new LineUp({
      optionsFor: (upstream) => ({
        ...optionsFor(upstream),
        onNote: (kind, text) => this.#news.note(kind === 'stderr' ? 'debug' : 'warning', `${upstream.id}: ${text}`),
      }),
      onChange: (upstream, { kind }) => {
        if (kind === 'status') this.#news.upstream(upstream)
      },
    })
  }

  /** Gives the server for everything, and what can be seen and done. */
  async start(): Promise<{ readonly server: Server; readonly control: Control }> {
    const { config } = this
    const { store } = this.#options
    refuseOpen(config)
    this.#limits = await sharedLimits(config.redisUrl, (words) => this.#news.note('warning', words))
    await this.#policy.open(config.policy)
    if (config.guard.pins) this.#pinning = await this.#openPinning()
    const endpoints = this.#makeEndpoints(this.#limits)
    this.#endpoints = endpoints
    const control = this.#controlOf(endpoints)
    this.#told = new ApprovalsTold({ store, decisions: this.#decisions, news: this.#news }, config)
    this.#stops.push(tellHead(store, this.#news))
    this.#lineUp.take(config.upstreams)
    endpoints.use(this.#lineUp.all, config)
    await this.#open()
    this.#door = new Door({ config, control, endpoints: endpoints.servers })
    this.port = await this.#door.listen()
    return { server: endpoints.everything.server, control }
  }

  /** Puts another config in force, without touching what is the same in both. */
  async change(config: GatewayConfig, { restart, settings }: Pick<ConfigChanges, 'restart' | 'settings'>): Promise<void> {
    this.config = config
    const later = [...restart, ...settings.filter((name) => !live.has(name))]
    if (later.length > 0) this.#news.note('warning', `${later.join(', ')}: in force when the gateway is started again`)
    const gone = this.#lineUp.take(config.upstreams)
    this.#endpoints?.use(this.#lineUp.all, config)
    if (this.#endpoints) this.#door?.serve(this.#endpoints.servers)
    this.#told?.use(config)
    await Promise.all([this.#policy.change(config.policy), this.#open(), ...gone.map((upstream) => upstream.close())])
    this.#news.add('config', { what: 'changed' })
  }

  configTroubled(trouble: Error | undefined): void {
    this.#configTrouble = trouble
    this.#news.troubled('config', trouble)
  }

  /** Refuses what is new, and lets end what has begun; afterwards nothing is written any more. */
  async close(drainMs?: number): Promise<void> {
    this.#leaving.begin()
    this.#door?.shut()
    await this.#endpoints?.drain(drainMs)
    for (const stop of this.#stops) stop()
    this.#told?.close()
    this.#policy.close()
    this.#endpoints?.close()
    await this.#door?.close()
    await Promise.all(this.#lineUp.all.map((upstream) => upstream.close()))
    await this.#limits?.close()
  }

  health(): Health {
    return healthOf({
      leaving: this.#leaving.began,
      auditIsOn: this.#log !== undefined,
      storeTrouble: this.#options.store.trouble,
      policyTrouble: this.#policy.trouble,
      configTrouble: this.#configTrouble,
      upstreams: this.#lineUp.all,
      mask: (text) => this.config.secrets.mask(text),
    })
  }

  #makeEndpoints({ store: limits }: SharedLimits): Endpoints {
    const { store, version, ask, patienceMs } = this.#options
    const { mostPending } = this.#begun.approvals
    const guard = guarding({
      config: this.#begun,
      store,
      log: this.#log,
      limits,
      policy: this.#policy,
      pinning: this.#pinning,
      approver: approverFor(store.approvals, { ask, mostPending, patienceMs }),
      observing: this.#observing,
      catalogue: this.#catalogue,
      leaving: this.#leaving,
    })
    const about = { name: 'toolwire', title: 'Toolwire gateway', version, http: this.#ownCalls.http }
    return new Endpoints({ server: { ...about, ...guard }, onNote: (text) => this.#news.note('warning', text) })
  }

  #controlOf(endpoints: Endpoints): Control {
    const { version, store } = this.#options
    return controlOf({
      version,
      store,
      log: this.#log,
      events: this.#events,
      metrics: this.#metrics,
      decisions: this.#decisions,
      observing: this.#observing,
      catalogue: this.#catalogue,
      lineUp: this.#lineUp,
      endpoints,
      policy: this.#policy,
      pinning: this.#pinning,
      ownCalls: this.#ownCalls,
      config: () => this.config,
      health: () => this.health(),
      restart: (id) => this.#restart(id),
    })
  }

  #openPinning(): Promise<Pinning> {
    return Pinning.open({
      store: this.#options.store.pins,
      onDrift: (drift) => this.#news.drifted(drift),
      onChange: (names) => this.#endpoints?.announce(names),
      onTrouble: (words) => this.#news.note('error', words),
    })
  }

  /** Opens what is to be open from the start, and waits until what is listed there was looked at. */
  async #open(): Promise<void> {
    await this.#endpoints?.everything.open('eager')
    await this.#pinning?.settled()
  }

  async #restart(id: string): Promise<boolean> {
    const old = this.#lineUp.renew(id)
    if (!old) return false
    this.#endpoints?.use(this.#lineUp.all, this.config)
    await old.close()
    await this.#lineUp.all.find((upstream) => upstream.id === id)?.start()
    await this.#open()
    return true
  }

  #rulesChanged(): void {
    this.#news.add('policy', { what: 'changed', version: this.#policy.current.version })
    this.#news.note('info', 'Other rules are in force')
    this.#endpoints?.announce('all')
  }
}
