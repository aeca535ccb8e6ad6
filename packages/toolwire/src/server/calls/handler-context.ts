import type { CancelToken } from '../../bounds/cancel-token.js'
import type { JsonObject } from '../../json.js'
import { encodeNotification, isId } from '../../jsonrpc/message.js'
import type { IncomingRequest } from '../../peer/incoming-request.js'
import { metaOf } from '../../revisions/meta-keys.js'
import type { Caller } from '../../tools/caller.js'
import type { AskFunction, Context, Log, ResumedRound, SupportedQuestions } from '../../tools/context.js'
import type { CallContext } from '../../tools/tool.js'
import { askFunction, Elicitation } from '../questions/elicitation.js'
import type { Elicitor } from '../questions/elicitor.js'
import { supportsElicitation } from '../questions/supports-elicitation.js'
import type { RequestContext } from '../request-context.js'
import { clientLog } from './client-log.js'
import type { Effects } from './effects.js'
import { progressReporter } from './progress-reporter.js'

/** The parts of a context that its request does not hold. */
export type ContextParts = {
  readonly elicitor: () => Elicitor
  /** Replaces the request's own, if the call outlives the request. */
  readonly incoming?: IncomingRequest
  /** Replaces the `send` of the reply channel. */
  readonly send?: (message: string) => void
  /** Added to the `_meta` of every notification about the call. */
  readonly about?: JsonObject
  readonly resumed?: ResumedRound | undefined
  readonly patient?: boolean
  readonly continued?: boolean | undefined
  /** Answers to the declared questions, if they were given earlier. */
  readonly answers?: Readonly<Record<string, unknown>> | undefined
  readonly promoteToTask?: (() => void) | undefined
  /** Milliseconds for which a client may fetch the outcome after the call. */
  readonly keptMs?: () => number
}

/** The context of a handler. Its members are created on first use, because most calls use none. */
export class HandlerContext implements CallContext {
  readonly caller: Caller
  readonly meta: JsonObject
  readonly resumed: ResumedRound | undefined
  readonly patient: boolean
  readonly continued: boolean
  clock: CallContext['clock']
  passes: CallContext['passes']
  policyVersion: string | undefined
  grant: string | undefined
  checkAnswer: CallContext['checkAnswer']
  recheck: CallContext['recheck']
  answers: never
  readonly answered: boolean
  /** The run ends once the declared questions are answered; the handler itself runs later, as a task. */
  onlyAsks = false
  readonly #x: RequestContext
  readonly #parts: ContextParts
  readonly #incoming: IncomingRequest
  #progress: ReturnType<typeof progressReporter> | undefined
  #log: Log | undefined
  #interview: Elicitation | undefined
  #overListeners: (() => void)[] | undefined
  #ended = false
  #isOver = false

  constructor(x: RequestContext, parts: ContextParts) {
    x.isRecorded = true
    this.#x = x
    this.#parts = parts
    this.#incoming = parts.incoming ?? x.incoming
    this.caller = x.caller
    this.meta = x.meta
    this.resumed = parts.resumed
    this.patient = parts.patient ?? false
    this.continued = parts.continued ?? false
    this.answered = parts.answers !== undefined
    this.answers = (parts.answers ?? noAnswers) as never // typed where the questions are declared
  }

  get peer(): object {
    return this.#x.conversation
  }

  get paramHeaders(): Context['paramHeaders'] {
    return this.#x.conversation.httpRequest?.paramHeaders()
  }

  get receivedArguments(): JsonObject | undefined {
    return this.#x.params.arguments as JsonObject | undefined // `callTool` has checked them
  }

  get signal(): AbortSignal {
    return this.#incoming.signal
  }

  get cancelToken(): CancelToken {
    return this.#incoming
  }

  get waitedMs(): number {
    return this.#incoming.waitedMs
  }

  /** True if the handler was told to stop, so its errors are not reported. */
  get stopped(): boolean {
    return this.#incoming.aborted
  }

  abort(reason: unknown): void {
    this.#incoming.abort(reason)
  }

  /** Progress shows that the call is alive, even if the client did not ask for it. */
  get progress(): Context['progress'] {
    const reporter = this.#reporter()
    return (done, total, message) => {
      if (this.#ended) return
      this.clock?.heard('progress')
      reporter?.report(done, total, message)
    }
  }

  #reporter(): ReturnType<typeof progressReporter> | undefined {
    const token = this.meta.progressToken
    if (!isId(token)) return undefined
    const { progressMessage } = this.#x.peerInfo.revision
    this.#progress ??= progressReporter(token, (method, params) => this.#send(method, params), progressMessage)
    return this.#progress
  }

  get log(): Log {
    const tell = (method: string, params: JsonObject) => this.#tell(method, params)
    this.#log ??= clientLog(() => this.#x.logLevel, tell)
    return this.#log
  }

  get once(): Context['once'] {
    return (key, effect) => this.#parts.elicitor().effects.once(key, effect)
  }

  get effects(): Effects {
    return this.#parts.elicitor().effects
  }

  get hangUp(): Context['hangUp'] {
    // A call that outlives its request holds no connection open.
    return (retryMs = 1_000) => (this.#parts.incoming ? undefined : this.#x.reply.hangUp?.(retryMs))
  }

  get holdHere(): () => void {
    return () => this.#parts.elicitor().holdHere?.()
  }

  get promoteToTask(): Context['promoteToTask'] {
    return this.#parts.promoteToTask
  }

  get onOver(): NonNullable<CallContext['onOver']> {
    return (listener) => {
      if (this.#isOver) listener()
      else if (this.#overListeners) this.#overListeners.push(listener)
      else this.#overListeners = [listener]
    }
  }

  get keptMs(): number {
    return this.#parts.keptMs?.() ?? 0
  }

  get askable(): SupportedQuestions {
    return supportsElicitation(this.#x.peerInfo)
  }

  get ask(): AskFunction {
    return askFunction(this.interview)
  }

  get interview(): Elicitation {
    const tell = (method: string, params: JsonObject) => this.#tellLate(method, params)
    this.#interview ??= new Elicitation(this, { peerInfo: this.#x.peerInfo, elicitor: this.#parts.elicitor, tell })
    return this.#interview
  }

  /** Ends this run of the handler. The next one goes on with its progress, and is asked no declared question again. */
  next(resumed: ResumedRound): HandlerContext {
    this.#ended = true
    const answers: ContextParts['answers'] = this.answers
    const given = answers === noAnswers ? undefined : answers
    const next = new HandlerContext(this.#x, { ...this.#parts, resumed, continued: true, answers: given })
    next.#progress = this.#progress
    next.#overListeners = this.#overListeners
    return next
  }

  /** Stops all messages about the call, because none may follow its answer. */
  end(): void {
    if (!this.#incoming.cancelled) this.#progress?.finish()
    this.#ended = true
    this.#isOver = true
    for (const listener of this.#overListeners ?? []) listener()
    this.#overListeners = undefined
  }

  /** Notifications about a page may follow the end of the call; they are then sent outside of it. */
  #tellLate(method: string, params: JsonObject): void {
    if (this.#ended) this.#x.conversation.push(encodeNotification(method, params))
    else this.#tell(method, params)
  }

  #tell(method: string, params: JsonObject): void {
    if (!this.#ended) this.#send(method, params)
  }

  #send(method: string, params: JsonObject): void {
    const { about, send = this.#x.reply.send } = this.#parts
    if (this.#incoming.cancelled) return
    send(encodeNotification(method, about ? { ...params, _meta: { ...metaOf(params), ...about } } : params))
  }
}

const noAnswers = Object.freeze({})
