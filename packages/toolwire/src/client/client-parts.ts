// The parts of a client, and the events that connect them.
import { WarningLimiter } from '../bounds/warning-limiter.js'
import type { JsonObject } from '../json.js'
import { codes, RpcError } from '../jsonrpc/error.js'
import type { Notification, Request } from '../jsonrpc/message.js'
import type { Endpoint } from '../peer/client-transport.js'
import type { AuditLog } from '../policy/audit/log.js'
import { type GuardOptions, guardWithLog, skipValidation } from '../policy/guard.js'
import { notifyListener } from '../policy/notify-listener.js'
import type { RevisionSet } from '../revisions/revision-set.js'
import { printableName } from '../text/printable-name.js'
import { visibleLine } from '../text/visible.js'
import { withGiven } from '../tools/checks/known-options.js'
import { isLogLevel, type LogLevel } from '../tools/context.js'
import { CachingReader } from './calls/caching-reader.js'
import { KnownTools } from './calls/known-tools.js'
import { ToolCaller } from './calls/tool-caller.js'
import { ChangeFeed } from './changes/change-feed.js'
import type { Change } from './client.js'
import { clientDeclarationFor } from './connection/client-declaration.js'
import { Connection } from './connection/connection.js'
import { heartbeat } from './connection/heartbeat.js'
import { processRevisions } from './connection/revision-store.js'
import type { ClientSession, QuestionContext } from './connection/session.js'
import { type ConnectOptions, defaultClientLimits, type SessionEvent } from './options.js'
import { ElicitationHandler } from './questions/elicitation-handler.js'
import { PendingPages } from './questions/pending-pages.js'
import { ambiguousScope, MisdirectedQuestion, RequestScopes, relatedTaskIdIn } from './questions/request-scopes.js'
import { serverTextCleaner, uncleanedText } from './server-text-cleaner.js'
import { pause } from './wait-for.js'

export type ClientPartsOptions = ConnectOptions & {
  readonly endpoint: Endpoint
  readonly revisions: RevisionSet
  readonly principal: () => string | Promise<string>
}

const taskAnnounceMs = 100
/** Times that the calls are searched for the task of a question, so that a busy client finds it, too. */
const mostTaskTries = 10

export class ClientParts {
  readonly name: string
  readonly #options: ConnectOptions
  readonly #pages = new PendingPages()
  readonly connection: Connection
  readonly elicitationHandler: ElicitationHandler
  readonly scopes: RequestScopes
  readonly reader: CachingReader
  readonly knownTools: KnownTools
  readonly toolCaller: ToolCaller
  readonly changes: ChangeFeed
  readonly heartbeat: ReturnType<typeof heartbeat>
  readonly audit: AuditLog | undefined
  logLevel: LogLevel | undefined

  constructor(options: ClientPartsOptions) {
    const { name = options.endpoint.name, answers = {}, trusted = false, listFirst = true, reconnect = true } = options
    const warn = warningReporter(options.onWarning)
    this.name = name
    this.logLevel = options.logLevel
    this.#options = options
    const limits = withGiven(defaultClientLimits, options.limits)
    const { questionsPerMinute } = limits
    this.elicitationHandler = new ElicitationHandler({ answers, server: name, questionsPerMinute, pages: this.#pages, warn })
    this.scopes = new RequestScopes(this.elicitationHandler)
    const { policies, audit } = guardWithLog({ ...options.guard, ...checkedBySession }, options.policies)
    this.audit = audit
    const cleaning = policies.find((policy) => policy.words)
    const words = async () => (cleaning?.words ? serverTextCleaner(await cleaning.words()) : uncleanedText)
    this.connection = new Connection({
      ...options,
      textCleaner: words,
      limits,
      discover: options.discover ?? true,
      store: options.verdicts ?? processRevisions,
      declaration: (revision, asks) =>
        clientDeclarationFor(revision, { ...options, logLevel: this.logLevel, ...(asks && { answers: asks }) }),
      asked: (request, about) => this.#asked(request, about),
      partyOf: ({ params }, origin) => {
        const scope = this.scopes.of(params, origin)
        return scope === ambiguousScope ? undefined : scope?.handlers.onBehalfOf
      },
      notified: (notification, session, origin) => this.#notified(notification, session, origin),
      began: (session) => this.#began(session),
      ended: (why) => {
        this.#tell({ kind: 'ended', why })
        this.changes.sessionLost()
      },
      forgotten: () => this.changes.sessionLost(),
      offersChanged: () => this.changes.offersChanged(),
      missed: () => this.changes.announceAll(),
      warn,
    })
    const asking = { connection: this.connection, elicitationHandler: this.elicitationHandler }
    this.reader = new CachingReader({ ...asking, principal: options.principal })
    const hasDecidingPolicy = mayPoliciesDecide(options)
    this.knownTools = new KnownTools({ reader: this.reader, trusted, warn, hasDecidingPolicy })
    this.toolCaller = new ToolCaller({
      ...asking,
      scopes: this.scopes,
      server: name,
      knownTools: this.knownTools,
      // In a client `input` is the arguments from the start, so `skipValidation` has nothing to do.
      policies: policies.filter((policy) => policy !== skipValidation),
      hasDecidingPolicy,
      listFirst,
      cleaner: words,
    })
    this.changes = new ChangeFeed({ connection: this.connection, reconnect, stale: (change) => this.#forget(change), warn })
    this.heartbeat = heartbeat(this.connection, options.pingEveryMs ?? 0)
  }

  #began(session: ClientSession): void {
    this.knownTools.reset()
    this.reader.forget(() => true)
    this.changes.sessionBegan(session)
    this.heartbeat.began(session)
    this.#tell({ kind: 'begun', revision: this.connection.revision.version })
    const level = this.logLevel
    if (level && session.revision?.logLevelFrom === 'session' && session.capabilities?.logging !== undefined)
      void session
        .request('logging/setLevel', { level })
        .catch((thrown) => this.connection.warn(`The log level could not be set: ${String(thrown)}`))
  }

  #tell(event: SessionEvent): void {
    const { onSession } = this.#options
    if (onSession) notifyListener('onSession', () => onSession(event))
  }

  /** Puts a question to the handler of the request that it belongs to, so that no other person sees it. */
  async #asked({ method, params = {} }: Request, about: QuestionContext): Promise<JsonObject> {
    let scope = this.scopes.of(params, about.arrival)
    // The answer that makes the call this task may arrive just after the question.
    for (let tries = 0; scope === ambiguousScope && relatedTaskIdIn(params) !== undefined && tries < mostTaskTries; tries++) {
      await pause(taskAnnounceMs, about.signal, method)
      scope = this.scopes.of(params, about.arrival)
    }
    while (scope !== ambiguousScope) {
      try {
        return await (scope?.elicitationHandler ?? this.elicitationHandler).answer(method, params, about)
      } catch (thrown) {
        const isOver = !(thrown instanceof MisdirectedQuestion) || about.signal.aborted
        const next = isOver ? undefined : this.scopes.of(params, about.arrival)
        if (!next || next === ambiguousScope || next === scope) throw thrown
        scope = next
      }
    }
    this.connection.warn(
      `${printableName(method)} does not name the call that it belongs to, and several are pending or have just ended. It was not shown.`,
    )
    throw new RpcError(
      codes.internalError,
      'Requests of several people are pending or have just ended, and the question names none of them. It was not shown.',
    )
  }

  #notified(notification: Notification, session: ClientSession, origin: QuestionContext['arrival']): void {
    if (this.changes.take(notification, session)) return
    if (notification.method === 'notifications/message') this.#logged(notification.params, origin)
    if (notification.method === 'notifications/elicitation/complete') this.#pages.end(notification.params?.elicitationId)
  }

  #logged(params: JsonObject | undefined, origin: QuestionContext['arrival']): void {
    const scope = this.scopes.of(params, origin)
    const onLog = (scope !== ambiguousScope && scope?.handlers.onLog) || this.#options.onLog
    if (!onLog || !params || !isLogLevel(params.level) || params.data === undefined) return
    const { level, data, logger } = params
    notifyListener('onLog', () => onLog({ level, data, ...(typeof logger === 'string' && { logger }) }))
  }

  #forget(change: Change): void {
    if (change.kind === 'tools') this.knownTools.markStale()
    if (change.kind === 'resource') this.reader.forgetOne('resources/read', { uri: change.uri })
    else this.reader.forget((method) => method.startsWith(`${change.kind}/`) && method !== 'resources/read')
  }
}

/** Policies that a client does not need: it validates arguments and enforces timeouts itself, and knows no scopes. */
const checkedBySession: GuardOptions = { access: false, validate: false, timeout: false }

/** True if a policy may judge, delay or stop the call. The defaults (audit in memory, rate limit, sanitize) do not count. */
const mayPoliciesDecide = ({
  policies = [],
  guard: { audit, rateLimit: _r, sanitize: _s, ...others } = {},
}: ConnectOptions): boolean => policies.some(({ call, list }) => call ?? list) || Boolean(audit) || Object.keys(others).length > 0

const longestWarning = 1_000

/** Sends warnings to the given function, or to stderr. They are rate limited, and hidden characters in them are made visible. */
function warningReporter(given: ((text: string) => void) | undefined): (text: string) => void {
  const listener = given ?? ((text) => console.error(`toolwire: ${text}`))
  const warnings = new WarningLimiter((text) =>
    notifyListener('onWarning', () => listener(visibleLine(text.slice(0, longestWarning)))),
  )
  return (text) => warnings.add(() => text)
}
