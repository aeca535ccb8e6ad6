// Records in the audit log which configs, rules and definitions come into force by themselves, including changes of the config or the
// rules while no gateway ran. Actions through the management API are recorded where they happen.
import { createHmac } from 'node:crypto'
import type { JsonObject } from 'toolwire'
import type { AuditLog, Drift } from 'toolwire/guard'
import { type ConfigChanges, comparedSettings, needsRestart } from '../config/diff-configs.js'
import type { GatewayConfig } from '../config/gateway-config.js'
import type { AcceptedDefinition } from '../guard/pins/pinning.js'
import type { PolicyFile } from '../guard/policy/policy-file.js'
import type { BoundedRecords } from '../store/audit/bounded-records.js'
import type { RecordedAction } from '../store/audit/record-action.js'
import type { LastRun, Store } from '../store/store.js'

type Parts = {
  readonly store: Pick<Store, 'inForce' | 'keys' | 'digestKey' | 'fleet'>
  /** The config at the start. */
  readonly config: GatewayConfig
  readonly records: BoundedRecords
  readonly policy: Pick<PolicyFile, 'path' | 'current'>
  readonly isOn: () => boolean
  readonly onTrouble: (words: string) => void
  /** True for the first gateway of those that share the store. Undefined if no other gateway does. */
  readonly isFirst?: ((what: string, until: number) => boolean | Promise<boolean>) | undefined
}

type ChangedNames = { readonly [what: string]: readonly string[] }

type CatchUpOptions = { readonly given?: ChangedNames; readonly log?: AuditLog }

const by = 'toolwire'
const mostNamed = 100
const lookEveryMs = 3_600_000

const comingFrom = ({ version }: GatewayConfig): string => (version === undefined ? 'file' : 'database')

export class ChangeRecords {
  readonly #parts: Parts
  #timer: NodeJS.Timeout | undefined
  /** The key under which the state in force is stored. */
  #place: string
  /** The last noted state in force, written or not. */
  #known: LastRun | undefined
  /** There was a time without a log, so changes since `#known` may have no record. */
  #isBehind = false
  /** True while all changes since the start are safe in the log. */
  #isRecorded: Promise<boolean> = Promise.resolve(true)
  /** Actions that no other gateway records, because this one has claimed them. The next look tries them again. */
  readonly #unrecorded: RecordedAction[] = []

  constructor(parts: Parts) {
    this.#parts = parts
    this.#place = this.#placeOf(parts.config)
    this.#known = parts.store.inForce.get(this.#place)
  }

  /** Records changes since a gateway last ran here. */
  started(config: GatewayConfig): void {
    this.#isBehind = !this.#parts.isOn()
    if (!this.#isBehind) this.#catchUp(config, 'start')
  }

  /** Records all changes since the noted state, at a start or when the log is switched on. Without such a state, only the given ones. */
  #catchUp(config: GatewayConfig, from: string, { given = {}, log }: CatchUpOptions = {}): void {
    const before = this.#known
    const now = this.#inForce(config)
    this.#configChanged(config, from, before ? this.#changesBetween(before, now, from) : given, log)
    if (before && before.policy !== now.policy) this.#policyChanged(from, before.policy)
    if (before) this.#keysExpired(before.at)
    this.#isBehind = false
    this.#place = this.#placeOf(config)
    this.#remember(now)
    this.#lookAtKeysLater(Date.now())
  }

  #changesBetween(before: LastRun, now: LastRun, from: string): ChangedNames {
    const servers = Object.keys(now.servers)
    const known = Object.keys(before.servers)
    const settings = this.#changedSettings(before.settings, now.settings)
    const waits = (name: string) => from !== 'start' && needsRestart(name)
    return {
      added: servers.filter((id) => !known.includes(id)),
      removed: known.filter((id) => !servers.includes(id)),
      changed: servers.filter((id) => known.includes(id) && before.servers[id] !== now.servers[id]),
      settings: settings.filter((name) => !waits(name)),
      afterRestart: settings.filter(waits),
    }
  }

  /** A gateway of its own keeps every setting. One that it did not keep was not compared by an earlier version. */
  #changedSettings(before: LastRun['settings'], now: LastRun['settings']): string[] {
    const names = Object.keys(this.#parts.store.fleet ? { ...before, ...now } : before)
    return names.filter((name) => before[name] !== now[name])
  }

  /** Records a config change. Without an audit log nothing is remembered, so that the change is found once there is one. */
  configChanged(config: GatewayConfig, { restart, ...changes }: ConfigChanges, log: AuditLog | undefined): void {
    this.#isBehind ||= !log
    if (!log) return
    const given = { ...changes, afterRestart: restart }
    if (this.#isBehind) {
      this.#catchUp(config, comingFrom(config), { given, log })
      return
    }
    this.#configChanged(config, comingFrom(config), given, log)
    this.#place = this.#placeOf(config)
    this.#remember(this.#inForce(config))
  }

  policyChanged(config: GatewayConfig): void {
    const before = this.#known?.policy
    this.#isBehind ||= !this.#parts.isOn()
    if (before === this.#parts.policy.current.version || this.#isBehind) return
    this.#policyChanged(comingFrom(config), before)
    this.#remember(this.#inForce(config))
  }

  /** Records withheld definitions. */
  drifted(drifts: readonly Drift[]): void {
    const [changed, fresh] = [drifts.filter(({ before }) => before), drifts.filter(({ before }) => !before)]
    this.#definitions('hold-changed-definition', changed)
    this.#definitions('hold-new-definition', fresh)
  }

  accepted(definitions: readonly AcceptedDefinition[]): void {
    this.#definitions('accept-new-server', definitions)
  }

  /** Settles when everything is noted. */
  async close(): Promise<void> {
    clearTimeout(this.#timer)
    await this.#isRecorded
  }

  #definitions(act: string, all: readonly Pick<Drift, 'server' | 'tool' | 'hash'>[]): void {
    for (const server of new Set(all.map((one) => one.server ?? ''))) {
      const its = all.filter((one) => (one.server ?? '') === server)
      const definitions = its.slice(0, mostNamed).map(({ tool, hash }) => ({ tool, hash }))
      this.#parts.records.note({ by, act, about: { server, count: its.length, definitions } })
    }
  }

  /** Records names only, because values in a config may be secrets. */
  #configChanged({ source, version }: GatewayConfig, from: string, changes: ChangedNames, log?: AuditLog): void {
    const named = Object.entries(changes).filter(([, names]) => names.length > 0)
    if (named.length === 0) return
    const lists = named.map(([what, names]) => [what, names.slice(0, mostNamed)])
    const about = { from, file: source ?? null, ...(version !== undefined && { version }), ...Object.fromEntries(lists) }
    this.#record({ by, act: 'change-config', about }, log)
  }

  #policyChanged(from: string, before: string | undefined): void {
    const { path, current } = this.#parts.policy
    const about: JsonObject = { from, file: path ?? null, version: current.version, rules: current.set.rules.length }
    this.#record({ by, act: 'change-policy', about: { ...about, ...(before !== undefined && { before }) } })
  }

  /** Gateways that share a store have one key for each config, because their ports, folders and variables may differ. */
  #placeOf({ source, version, policy }: GatewayConfig): string {
    if (!this.#parts.store.fleet) return 'gateway'
    const ownRules = version !== undefined && typeof policy === 'string' ? [policy] : []
    return ['gateway', source ?? 'database', ...ownRules].join(' ')
  }

  #inForce(config: GatewayConfig): LastRun {
    const written = this.#parts.store.fleet && config.written
    const compared = written?.settings ?? Object.fromEntries(comparedSettings.map((name) => [name, config[name]]))
    const settings = Object.entries(compared).map(([name, value]) => [name, this.#digest(value)])
    const open = config.upstreams.filter(({ disabled }) => !disabled)
    const servers = open.map((one) => [one.id, this.#digest(written ? written.servers[one.id] : one)])
    const policy = this.#parts.policy.current.version
    return { policy, settings: Object.fromEntries(settings), servers: Object.fromEntries(servers), at: Date.now() }
  }

  /** A keyed digest, so that readers can neither see the value nor test guesses. */
  #digest(value: unknown): string {
    const text = JSON.stringify(value) ?? 'undefined'
    return createHmac('sha256', this.#parts.store.digestKey).update(text).digest('base64url').slice(0, 22)
  }

  #remember(now: LastRun): void {
    this.#known = now
    this.#keep(() => now)
  }

  /**
   * Stores the state after the records of its changes. If one of them is missing, the next start has to find the change. The
   * value is read last, because another gateway may store a newer one meanwhile.
   */
  #keep(value: (place: string) => LastRun | undefined): void {
    const { store, onTrouble } = this.#parts
    const place = this.#place
    this.#isRecorded
      .then((isRecorded) => {
        const one = isRecorded ? value(place) : undefined
        return one && store.inForce.put(place, one)
      })
      .catch((thrown: unknown) => onTrouble(`The config in force could not be stored: ${thrown}`))
  }

  #record(action: RecordedAction, log?: AuditLog): void {
    this.#waitFor(this.#parts.records.note(action, log))
  }

  #waitFor(recorded: Promise<boolean>): void {
    this.#isRecorded = Promise.all([this.#isRecorded, recorded]).then((all) => !all.includes(false))
  }

  #keysExpired(since: number): void {
    const now = Date.now()
    for (const { id, caller, expiresAt = now + 1 } of this.#parts.store.keys.list())
      if (expiresAt > since && expiresAt <= now) this.#keyExpired({ id, caller: caller ?? null, expiresAt })
  }

  /** Of the gateways that share the store, the first one records it; while the store is away, each does. */
  #keyExpired(about: { readonly id: string; readonly caller: string | null; readonly expiresAt: number }): void {
    const { isFirst } = this.#parts
    const action = { by, act: 'expire-key', about }
    if (!isFirst) {
      this.#record(action)
      return
    }
    const isOurs = Promise.resolve(isFirst(`expire-key ${about.id}`, about.expiresAt)).catch(() => true)
    this.#waitFor(isOurs.then((ours) => !ours || this.#noteClaimed(action)))
  }

  async #noteClaimed(action: RecordedAction): Promise<boolean> {
    const isRecorded = await this.#parts.records.note(action)
    if (!isRecorded) this.#unrecorded.push(action)
    return isRecorded
  }

  /** Looks at least once an hour, because other programs may create keys meanwhile. */
  #lookAtKeysLater(since: number): void {
    const next = this.#parts.store.keys.list().map(({ expiresAt }) => expiresAt ?? Number.POSITIVE_INFINITY)
    const inMs = Math.min(lookEveryMs, ...next.filter((at) => at > since).map((at) => at - Date.now() + 1))
    clearTimeout(this.#timer)
    this.#timer = setTimeout(
      () => {
        this.#isBehind ||= !this.#parts.isOn()
        if (this.#isBehind) return
        const now = Date.now()
        for (const action of this.#unrecorded.splice(0)) this.#waitFor(this.#noteClaimed(action))
        this.#keysExpired(since)
        // Another gateway may have stored a newer config under this key.
        this.#keep((place) => {
          const known = this.#parts.store.inForce.get(place) ?? this.#known
          return known && { ...known, at: now }
        })
        this.#lookAtKeysLater(now)
      },
      Math.max(inMs, 1),
    ).unref()
  }
}
