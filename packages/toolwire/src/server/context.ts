import type { JsonObject } from '../json.js'
import type { Terms } from '../peer/conversation.js'
import type { Flight } from '../peer/flight.js'
import { type Ask, Declined } from '../tools/ask.js'
import type { Caller } from '../tools/caller.js'
import type { Asking, Context, Log, LogLevel, Resumed } from '../tools/context.js'
import { ToolError } from '../tools/result.js'
import type { CallContext } from '../tools/tool.js'
import { readAnswer, Unfit } from './answers.js'
import { type Asker, lacking, missingFor, questionOf } from './asker.js'
import { clientLog } from './log.js'
import { Progress } from './progress.js'

const mostTries = 3

export type ContextParts = {
  readonly caller: Caller
  readonly meta: JsonObject
  readonly terms: Terms
  readonly flight: Flight
  readonly send: (message: string) => void
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
  heard: CallContext['heard']
  answers: never
  readonly answered: boolean
  /** The call ends as soon as the declared questions are answered; what follows runs elsewhere. */
  onlyAsks = false
  readonly #parts: ContextParts
  #progress: Progress | undefined
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

  abort(reason: unknown): void {
    this.#parts.flight.abort(reason)
  }

  get progress(): Context['progress'] {
    const token = this.meta.progressToken
    if (typeof token !== 'string' && typeof token !== 'number' && typeof token !== 'bigint') return ignore
    const { terms } = this.#parts
    this.#progress ??= new Progress(token, (message) => this.#send(message), terms.revision.progressMessage)
    const reporter = this.#progress
    return (done, total, message) => {
      this.heard?.('progress')
      reporter.report(done, total, message)
    }
  }

  get log(): Log {
    return clientLog(this.#parts.logLevel, (message) => this.#send(message))
  }

  get once(): Context['once'] {
    return (key, effect) => this.#parts.asker().effects.once(key, effect)
  }

  get hangUp(): Context['hangUp'] {
    return (retryMs = 1_000) => this.#parts.hangUp?.(retryMs)
  }

  get ask(): Asking {
    const put = (key: string, ask: Ask) => this.put(key, ask) as Promise<never> // readAnswer gives what the kind of question promises
    const asking = ((key, message, schema) => put(key, { kind: 'form', message, schema })) as Asking
    asking.url = (key, message, url) => put(key, { kind: 'url', message, url })
    asking.model = (key, request) => put(key, { kind: 'model', request })
    asking.roots = (key) => put(key, { kind: 'roots' })
    return asking
  }

  /** Puts a question and gives its answer, asking again when the answer does not fit. */
  async put(key: string, ask: Ask): Promise<unknown> {
    const { terms } = this.#parts
    const asker = this.#parts.asker()
    const missing = missingFor(ask, terms.capabilities, terms.revision)
    if (missing) throw lacking(missing, terms.revision)
    const question = questionOf(key, ask, terms.revision, terms.capabilities)
    this.heard?.('asking')
    let response = await asker.ask(key, question)
    this.heard?.('answered')
    for (let tries = 1; ; tries++) {
      try {
        return await readAnswer(ask, response)
      } catch (thrown) {
        if (!(thrown instanceof Unfit)) throw thrown
        if (tries >= mostTries) throw new ToolError(`The answer to "${key}" does not fit: ${thrown.message}`)
        response = await asker.again(key, question)
      }
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

  #send(message: string): void {
    if (!this.#ended && !this.#parts.flight.cancelled) this.#parts.send(message)
  }
}

const ignore = () => undefined
const noAnswers = Object.freeze({})
