import type { JsonObject } from '../json.js'
import { encodeNotification } from '../jsonrpc/message.js'
import type { Terms } from '../peer/conversation.js'
import type { Flight } from '../peer/flight.js'
import { type Ask, Declined, type Until } from '../tools/ask.js'
import type { Caller } from '../tools/caller.js'
import type { Asking, Context, Log, LogLevel, Resumed } from '../tools/context.js'
import { ToolError } from '../tools/result.js'
import type { OutputOf, StandardSchema } from '../tools/standard-schema.js'
import type { CallContext } from '../tools/tool.js'
import { readAnswer, Unfit } from './answers.js'
import { type Asker, lacking, missingFor, type Question, questionOf } from './asker.js'
import { clientLog } from './log.js'
import { Progress } from './progress.js'
import { aborted } from './running-task.js'

const mostTries = 3

export type ContextParts = {
  readonly caller: Caller
  readonly meta: JsonObject
  readonly terms: Terms
  readonly flight: Flight
  readonly send: (message: string) => void
  /** `_meta` of whatever is sent about the call. */
  readonly about?: JsonObject
  readonly logLevel: () => LogLevel | undefined
  readonly asker: () => Asker
  readonly resumed: Resumed | undefined
  readonly patient?: boolean
  readonly continued?: boolean
  /** Answers to the declared questions, where they were given before. */
  readonly answers?: Readonly<Record<string, unknown>>
  readonly hangUp?: ((retryMs: number) => void) | undefined
}

/** What a handler holds in its hands. Everything in it is made only when it is used, because most calls use nothing. */
export class RunningContext implements CallContext {
  readonly caller: Caller
  readonly meta: JsonObject
  readonly resumed: Resumed | undefined
  readonly patient: boolean
  readonly continued: boolean
  clock: CallContext['clock']
  answers: never
  readonly answered: boolean
  /** The call ends as soon as the declared questions are answered; what follows runs elsewhere. */
  onlyAsks = false
  readonly #parts: ContextParts
  #progress: Progress | undefined
  #log: Log | undefined
  #waitingFor = 0
  #ended = false

  constructor(parts: ContextParts) {
    this.#parts = parts
    this.caller = parts.caller
    this.meta = parts.meta
    this.resumed = parts.resumed
    this.patient = parts.patient ?? false
    this.continued = parts.continued ?? false
    this.answered = parts.answers !== undefined
    this.answers = (parts.answers ?? noAnswers) as never // typed where the questions are declared
  }

  get signal(): AbortSignal {
    return this.#parts.flight.signal
  }

  /** The handler has been told to stop, so what it throws now is no news. */
  get stopped(): boolean {
    return this.#parts.flight.aborted
  }

  abort(reason: unknown): void {
    this.#parts.flight.abort(reason)
  }

  /** Progress shows that the call is alive, whether or not the client wants to hear of it. */
  get progress(): Context['progress'] {
    const reporter = this.#reporter()
    return (done, total, message) => {
      this.clock?.heard('progress')
      reporter?.report(done, total, message)
    }
  }

  #reporter(): Progress | undefined {
    const token = this.meta.progressToken
    if (typeof token !== 'string' && typeof token !== 'number' && typeof token !== 'bigint') return undefined
    const { progressMessage } = this.#parts.terms.revision
    this.#progress ??= new Progress(token, (method, params) => this.#tell(method, params), progressMessage)
    return this.#progress
  }

  get log(): Log {
    this.#log ??= clientLog(this.#parts.logLevel, (method, params) => this.#tell(method, params))
    return this.#log
  }

  get once(): Context['once'] {
    return (key, effect) => this.#parts.asker().effects.once(key, effect)
  }

  get hangUp(): Context['hangUp'] {
    return (retryMs = 1_000) => this.#parts.hangUp?.(retryMs)
  }

  get ask(): Asking {
    const put = (key: string, ask: Ask) => {
      const answer = this.put(key, ask) as Promise<never> // readAnswer gives what the kind of question promises
      answer.catch(ignore) // a handler that does not wait for the answer must not end the process
      return answer
    }
    const form = <S extends StandardSchema>(key: string, message: string, schema: S): Promise<OutputOf<S>> =>
      put(key, { kind: 'form', message, schema })
    const asking = form as Asking // the other ways to ask are hung on to it right here
    asking.url = (key, message, url, options) => put(key, { kind: 'url', message, url, ...options })
    asking.model = (key, request) => put(key, { kind: 'model', request })
    asking.roots = (key) => put(key, { kind: 'roots' })
    return asking
  }

  /** Puts a question and gives its answer. */
  async put(key: string, ask: Ask): Promise<unknown> {
    const { terms } = this.#parts
    const missing = missingFor(ask, terms.capabilities, terms.revision)
    if (missing) throw lacking(missing, terms.revision)
    const question = questionOf(key, ask, terms.revision, terms.capabilities)
    const answer = await this.#answerTo(key, ask, question)
    if (ask.kind === 'url' && ask.until) await this.#visited(ask.until, question)
    return answer
  }

  /** Asks again when the answer does not fit. */
  async #answerTo(key: string, ask: Ask, question: Question): Promise<unknown> {
    const asker = this.#parts.asker()
    let response = await this.#waitFor(asker.ask(key, question))
    for (let tries = 1; ; tries++) {
      try {
        return await readAnswer(ask, response)
      } catch (thrown) {
        if (!(thrown instanceof Unfit)) throw thrown
        if (tries >= mostTries) throw new ToolError(`The answer to "${key}" does not fit: ${thrown.message}`)
        response = await this.#waitFor(asker.again(key, question))
      }
    }
  }

  /** The person has gone to the page. A client that was given an id for it is told when they are done there. */
  async #visited(until: Until, { params: { elicitationId } }: Question): Promise<void> {
    await this.#waitFor(Promise.race([until(this.signal), aborted(this.signal)]))
    // spec 2025-11-25, client/elicitation#completion-notifications-for-url-mode-elicitation
    if (elicitationId !== undefined) this.#tell('notifications/elicitation/complete', { elicitationId })
  }

  /** The call's clock stands still as long as it waits for the other side. */
  async #waitFor<T>(coming: Promise<T>): Promise<T> {
    if (++this.#waitingFor === 1) this.clock?.heard('asking')
    try {
      return await coming
    } finally {
      if (--this.#waitingFor === 0) this.clock?.heard('answered')
    }
  }

  /** An optional question that cannot be asked, or is declined, has no answer. */
  async putOptional(key: string, ask: Ask): Promise<unknown> {
    const { terms } = this.#parts
    if (missingFor(ask, terms.capabilities, terms.revision)) return undefined
    try {
      return await this.put(key, ask)
    } catch (thrown) {
      if (thrown instanceof Declined) return undefined
      throw thrown
    }
  }

  /** Nothing about the call may be sent after its answer. */
  end(): void {
    if (!this.#parts.flight.cancelled) this.#progress?.finish()
    this.#ended = true
  }

  #tell(method: string, params: JsonObject): void {
    const { flight, about, send } = this.#parts
    if (this.#ended || flight.cancelled) return
    send(
      encodeNotification(
        method,
        about ? { ...params, _meta: { ...(params._meta as JsonObject | undefined), ...about } } : params,
      ),
    )
  }
}

const ignore = () => undefined
const noAnswers = Object.freeze({})
