// What a client is made of, and who in it hears of what.
import type { JsonObject } from '../json.js'
import { codes, RpcError } from '../jsonrpc/error.js'
import type { Notification, Request } from '../jsonrpc/message.js'
import type { Way } from '../peer/link.js'
import type { AuditLog } from '../policy/audit/chain.js'
import { asGiven, type GuardOptions, guarded } from '../policy/guard.js'
import type { Editions } from '../revisions/editions.js'
import { isLogLevel, type LogLevel } from '../tools/context.js'
import { Answerer } from './answerer.js'
import { Calling } from './calling.js'
import { Changes } from './changes.js'
import type { Change } from './client.js'
import { Connection } from './connection.js'
import { Heartbeat } from './heartbeat.js'
import { introductionTo } from './introduction.js'
import { tell } from './listeners.js'
import { Offers } from './offers.js'
import { type ClientLimits, type ConnectOptions, type SessionEvent, usualLimits } from './options.js'
import { pause } from './patience.js'
import { printable } from './printable.js'
import { Reader } from './reader.js'
import { type Arrival, NotForThis, type Scope, Scopes, taskOf, unclear } from './scopes.js'
import type { About, Session } from './session.js'
import { Toolbox } from './toolbox.js'
import { processVerdicts } from './verdicts.js'
import { Visits } from './visits.js'
import { warner } from './warnings.js'
import { asTheyCome, wordsThrough } from './words.js'

export type PartsOptions = ConnectOptions & {
  readonly way: Way
  readonly editions: Editions
  readonly principal: () => string | Promise<string>
}

const taskToldMs = 100

export class Parts {
  readonly name: string
  readonly #onLog: ConnectOptions['onLog']
  readonly #onSession: ConnectOptions['onSession']
  readonly #visits = new Visits()
  readonly limits: ClientLimits
  readonly connection: Connection
  readonly answerer: Answerer
  readonly scopes: Scopes
  readonly reader: Reader
  readonly toolbox: Toolbox
  readonly calling: Calling
  readonly changes: Changes
  readonly heartbeat: Heartbeat
  readonly offers: Offers
  /** Where calls are recorded. */
  readonly audit: AuditLog | undefined
  logLevel: LogLevel | undefined

  constructor(options: PartsOptions) {
    const { way, editions, verdicts = processVerdicts, answers = {}, trusted = false, listFirst = true } = options
    const warn = warner(options.onWarning)
    this.name = options.name ?? way.name
    this.logLevel = options.logLevel
    this.#onLog = options.onLog
    this.#onSession = options.onSession
    this.limits = { ...usualLimits, ...options.limits }
    const { questionsPerMinute } = this.limits
    this.answerer = new Answerer({ answers, server: this.name, questionsPerMinute, visits: this.#visits, warn })
    this.scopes = new Scopes(this.answerer)
    const { policies, audit } = guarded({ ...options.guard, ...bySession }, options.policies)
    this.audit = audit
    const cleaning = policies.find((policy) => policy.words)
    const words = async () => (cleaning?.words ? wordsThrough(await cleaning.words()) : asTheyCome)
    this.connection = new Connection({
      words,
      way,
      editions,
      limits: this.limits,
      discover: options.discover ?? true,
      verdicts,
      introduction: (revision, asks) =>
        introductionTo(revision, { ...options, logLevel: this.logLevel, ...(asks && { answers: asks }) }),
      asked: (request, about) => this.#asked(request, about),
      notified: (notification, session, arrival) => this.#notified(notification, session, arrival),
      began: (session) => this.#began(session),
      ended: (why) => this.#tell({ kind: 'ended', why }),
      forgotten: () => this.changes.forgotten(),
      warn,
    })
    this.offers = new Offers(this.connection, this.name)
    const asking = { connection: this.connection, answerer: this.answerer }
    this.reader = new Reader({ ...asking, cacheMs: this.limits.cacheMs, principal: options.principal })
    this.toolbox = new Toolbox({
      reader: this.reader,
      limits: this.limits,
      reading: () => ({ revision: this.connection.revision, trusted, posts: this.connection.current?.link.shape === 'posts' }),
      offered: () => this.offers.has('tools'),
      warn,
      judged: isJudged(options),
    })
    this.calling = new Calling({
      ...asking,
      scopes: this.scopes,
      server: this.name,
      toolbox: this.toolbox,
      // What a tool is given here are the arguments from the start.
      policies: policies.filter((policy) => policy !== asGiven),
      judged: isJudged(options),
      listFirst,
      words,
    })
    this.changes = new Changes({ connection: this.connection, stale: (change) => this.#forget(change), warn })
    this.heartbeat = new Heartbeat(this.connection, options.pingEveryMs ?? 0)
  }

  #began(session: Session): void {
    this.toolbox.reset()
    this.reader.cache.forget(() => true)
    this.changes.began(session)
    this.heartbeat.began(session)
    this.#tell({ kind: 'begun', revision: this.connection.revision.version })
    const level = this.logLevel
    if (level && session.revision?.logLevelFrom === 'session' && session.capabilities?.logging !== undefined)
      void session
        .request('logging/setLevel', { level })
        .catch((thrown) => this.connection.warn(`The log level could not be set: ${String(thrown)}`))
  }

  #tell(event: SessionEvent): void {
    const onSession = this.#onSession
    if (onSession) tell('onSession', () => onSession(event))
  }

  /** What one person is asked is not for another to see. */
  async #asked({ method, params = {} }: Request, about: About): Promise<JsonObject> {
    let scope = this.scopes.of(params, about.arrival)
    // The answer which tells that the call has become this task may come right behind.
    if (scope === unclear && taskOf(params) !== undefined) {
      await pause(taskToldMs, about.signal, method)
      scope = this.scopes.of(params, about.arrival)
    }
    if (scope !== unclear) return this.#answered({ method, params, scope }, about)
    this.connection.warn(`${printable(method)} does not say which of several calls it is about, so nobody was asked`)
    throw new RpcError(codes.internalError, 'Calls for several people are under way, and it cannot be told whom this is for')
  }

  async #answered({ method, params, scope }: Put, about: About): Promise<JsonObject> {
    try {
      return await (scope?.answerer ?? this.answerer).answer(method, params, about)
    } catch (thrown) {
      const next = thrown instanceof NotForThis && !about.signal.aborted ? this.scopes.of(params, about.arrival) : undefined
      if (!next || next === unclear || next === scope) throw thrown
      return this.#answered({ method, params, scope: next }, about)
    }
  }

  #notified(notification: Notification, session: Session, arrival: Arrival): void {
    if (this.changes.take(notification, session)) return
    if (notification.method === 'notifications/message') this.#logged(notification.params, arrival)
    if (notification.method === 'notifications/elicitation/complete') this.#visits.end(notification.params?.elicitationId)
  }

  #logged(params: JsonObject | undefined, arrival: Arrival): void {
    const scope = this.scopes.of(params, arrival)
    const onLog = (scope !== unclear && scope?.attendance.onLog) || this.#onLog
    if (!onLog || !params || !isLogLevel(params.level) || params.data === undefined) return
    const { level, data, logger } = params
    tell('onLog', () => onLog({ level, data, ...(typeof logger === 'string' && { logger }) }))
  }

  #forget(change: Change): void {
    if (change.kind === 'tools') this.toolbox.markStale()
    if (change.kind === 'resource') this.reader.cache.forgetOne('resources/read', { uri: change.uri })
    else this.reader.cache.forget((method) => method.startsWith(`${change.kind}/`) && method !== 'resources/read')
  }
}

/** A question, and the request that it is taken to be about. */
type Put = { readonly method: string; readonly params: JsonObject; readonly scope: Scope | undefined }

/** What a client does in any case, and better where it knows the wire. */
const bySession: GuardOptions = { access: false, validate: false, timeout: false }

/** Some policy may judge, wait or stop the call: any but those that are on unless switched off. */
const isJudged = ({ policies = [], guard: { audit, rateLimit: _r, sanitize: _s, ...others } = {} }: ConnectOptions): boolean =>
  policies.some(({ call, list }) => call ?? list) || Boolean(audit) || Object.keys(others).length > 0
