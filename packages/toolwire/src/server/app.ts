// The application of a server: its prepared definitions, and the state that its answers need.
import type { JsonObject } from '../json.js'
import { isId, type Notification } from '../jsonrpc/message.js'
import type { SingleMessage } from '../jsonrpc/read-message.js'
import type { Application, Sealer } from '../peer/application.js'
import type { Conversation } from '../peer/conversation.js'
import type { ReplyChannel } from '../peer/reply-channel.js'
import { sealer } from '../peer/sealer.js'
import type { ApproveOptions } from '../policy/approve/approve-options.js'
import type { AuditLog } from '../policy/audit/log.js'
import { ConcurrencyLimit } from '../policy/concurrency/concurrency-limit.js'
import { type GuardedPolicies, type GuardOptions, guardWithLog } from '../policy/guard.js'
import { localAllowance } from '../policy/rate-limit/index.js'
import { type LimitStore, memoryLimits } from '../policy/rate-limit/store.js'
import { pocketRevisions, revisionSetOf } from '../revisions/index.js'
import type { Revision } from '../revisions/revision.js'
import type { RevisionSet } from '../revisions/revision-set.js'
import { withGiven } from '../tools/checks/known-options.js'
import { answer, errorAnswer } from './answer.js'
import { stampResult } from './cache-hints.js'
import { RefusedCalls } from './calls/refused-calls.js'
import { checkServerGuard } from './check-options.js'
import { serverInfoFor } from './initialize.js'
import { Catalog } from './lists/catalog.js'
import { ChangeNotifier } from './lists/change-notifier.js'
import type { SharedChange } from './lists/shared-changes.js'
import { OpenRequests } from './open-requests.js'
import { limitsOf, type ServerGuard, type ServerOptions, type Settings, settingsOf, type ToolSet } from './options.js'
import { memoryTickets, type SpentTickets } from './questions/spent-tickets.js'
import { reportFault } from './report-fault.js'
import type { WatchedResources } from './server.js'
import { memoryTasks } from './tasks/task-store.js'
import { mostRunningEach, ServerTasks } from './tasks/tasks.js'

const lookEveryMs = 20

export class App implements Application {
  settings: Settings
  readonly revisions: RevisionSet
  readonly sealer: Sealer
  readonly replica: string | undefined
  readonly spent: SpentTickets
  turns: ConcurrencyLimit
  readonly limitStore: LimitStore
  readonly catalog: Catalog
  /** The audit log of calls; undefined if auditing is off. */
  audit: AuditLog | undefined
  records: GuardedPolicies['records']
  readonly refusedCalls = new RefusedCalls(this)
  readonly changes = new ChangeNotifier()
  readonly openSubscriptions = new OpenRequests('subscriptions', 16)
  /** Requests that wait for the result of a task. */
  readonly openResults = new OpenRequests('requests for results', mostRunningEach)
  /** Rate limit of completions for each caller; more than anyone types. */
  readonly suggestions = localAllowance({ calls: 600, per: 'minute' })
  readonly tasks: ServerTasks
  /** The warning about resources that are not served has been logged. */
  advisedOnResources = false
  readonly #named = new Map<Revision, JsonObject>()
  /** Concurrency limits from before a change of settings, while requests still hold places in them. */
  #earlierTurns: readonly ConcurrencyLimit[] = []

  constructor(options: ServerOptions<ToolSet>) {
    this.settings = settingsOf(options)
    this.revisions = options.profile === 'pocket' ? pocketRevisions : revisionSetOf(options.revisions)
    this.sealer = sealer([options.secret ?? []].flat())
    this.replica = options.replica
    this.spent = options.spentTickets ?? memoryTickets()
    this.turns = turnsFor(this.settings)
    this.limitStore = options.limitStore ?? memoryLimits()
    this.tasks = new ServerTasks(options.taskStore ?? memoryTasks(), (record) => this.changes.taskChanged(record))
    const { policies, audit, records } = this.#guarded(options)
    this.audit = audit
    this.records = records
    this.catalog = new Catalog(options, {
      policies,
      changes: this.changes,
      listing: {
        sealer: this.sealer,
        pageSize: this.settings.pageSize,
        resultBytes: () => this.settings.limits.resultBytes,
        finish: (result, method, about) => stampResult(result, method, this, about),
      },
    })
    if (options.sharedChanges) this.changes.shareWith(options.sharedChanges, (change) => this.#changedElsewhere(change))
  }

  /** Replaces the guard for calls that begin from now on. */
  guard(given: ServerGuard): void {
    checkServerGuard(given)
    const { policies, audit, records } = this.#guarded(given)
    this.catalog.guard(policies)
    this.audit = audit
    this.records = records
    this.#take({ ...this.settings, limits: limitsOf(given.limits) })
  }

  receive(message: SingleMessage, conversation: Conversation, reply: ReplyChannel): ReturnType<Application['receive']> {
    if (message.kind === 'request') return answer(this, message.request, conversation, reply)
    if (message.kind === 'notification') handleNotification(message.notification, conversation)
    if (message.kind === 'response') conversation.outgoing.settle(message.response)
    if (message.kind !== 'invalid' || message.about === 'notification' || message.about === 'response') return undefined
    return { ...errorAnswer(message.id ?? this.#unreadable(conversation), message.error), malformed: true }
  }

  join(conversation: Conversation): void {
    this.changes.join(conversation)
  }

  leave(conversation: Conversation): void {
    this.changes.leave(conversation)
    conversation.cancelAll(new Error('The client is gone'))
  }

  async drain(ms: number): Promise<void> {
    this.changes.closeAll()
    const end = performance.now() + ms
    const busy = () => [this.turns, ...this.#earlierTurns].some(({ taken }) => taken > 0)
    while (busy() && performance.now() < end) await new Promise((resolve) => setTimeout(resolve, lookEveryMs))
  }

  get scopes(): readonly string[] {
    return this.catalog.scopes
  }

  get watched(): WatchedResources {
    const { changes } = this
    return {
      get uris() {
        return changes.watched
      },
      onChange: (listener) => changes.onWatch(listener),
    }
  }

  serverInfo(revision: Revision): JsonObject | undefined {
    if (!this.settings.named) return undefined
    const known = this.#named.get(revision) ?? serverInfoFor(this, revision)
    this.#named.set(revision, known)
    return known
  }

  #changedElsewhere(change: SharedChange): void {
    if ('taskId' in change) this.#taskChangedElsewhere(change.taskId)
    else this.catalog.changedElsewhere(change)
  }

  #taskChangedElsewhere(taskId: string): void {
    if (!this.changes.awaitsTask(taskId)) return
    const told = async () => {
      const record = await this.tasks.read(taskId)
      if (record) this.changes.taskChanged(record, false)
    }
    told().catch((thrown: unknown) => reportFault('a task that has changed at another replica', thrown))
  }

  #guarded({ guard = {}, policies }: ServerGuard): GuardedPolicies {
    const { rateLimit, approve, ...rest } = guard
    const rates = withGiven({ store: this.limitStore }, rateLimit === false ? { tool: rateLimit } : rateLimit)
    const upToDate = approve && { approve: this.#upToDate(approve) }
    return guardWithLog(
      { ...withGiven<GuardOptions>({ timeout: this.settings.timeLimits }, rest), rateLimit: rates, ...upToDate },
      policies,
    )
  }

  #take(settings: Settings): void {
    this.#earlierTurns = [this.turns, ...this.#earlierTurns].filter(({ taken }) => taken > 0)
    this.turns = turnsFor(settings)
    this.settings = settings
  }

  /** Makes approval compare the approved tool with the one that is served when the call continues. */
  #upToDate(approve: ApproveOptions): ApproveOptions {
    return withGiven<ApproveOptions>({ ask: approve.ask, current: ({ tool }) => this.catalog.tools.get(tool.name) }, approve)
  }

  /** The id of an error that answers something unreadable: null for older clients, none for newer ones. */
  #unreadable({ peerInfo, revisions = this.revisions }: Conversation): null | undefined {
    const revision = peerInfo?.revision ?? revisions.all[0]
    return revision?.unreadableId === 'null' ? null : undefined
  }
}

/** A request that waits too long in the queue is refused before its client times out. */
const turnsFor = ({ limits: { inFlight, inFlightEach, queue }, timeLimits: { idleMs } }: Settings): ConcurrencyLimit =>
  new ConcurrencyLimit({ all: inFlight, each: inFlightEach, queue, waitMs: idleMs })

/** Handles a notification. It never answers, not even to an invalid one. */
function handleNotification({ method, params }: Notification, conversation: Conversation): void {
  if (method === 'notifications/initialized') conversation.ready = conversation.peerInfo !== undefined
  if (method === 'notifications/cancelled' && isId(params?.requestId)) {
    conversation.unqueue(params.requestId)
    conversation.request(params.requestId)?.cancel(new CancelledByClient(params.reason))
  }
}

class CancelledByClient extends Error {
  override name = 'Cancelled'

  /** Sanitizes the reason, which is untrusted text that ends up in logs: no control characters, limited length. */
  constructor(reason: unknown) {
    const said = typeof reason === 'string' ? reason.replace(/[\u0000-\u001f\u007f-\u009f\u2028\u2029]+/g, ' ') : ''
    super(said.slice(0, 200) || 'Cancelled by the client')
  }
}
