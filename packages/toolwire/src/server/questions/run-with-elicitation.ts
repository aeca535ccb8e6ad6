import type { JsonObject } from '../../json.js'
import { SuspendedForInput, SuspendedWithQuestions } from '../../tools/suspension.js'
import { type ContextParts, HandlerContext } from '../calls/handler-context.js'
import type { RequestContext } from '../request-context.js'
import type { PromotableCall } from '../tasks/promote-to-task.js'
import { lifetimeLeftMs } from '../tasks/task-store.js'
import { inputRequestFor } from './elicitor.js'
import { type RequestElicitor, requestElicitor } from './request-elicitor.js'
import { RoundElicitor } from './round-elicitor.js'

const mostRuns = 10

export type ElicitedResult<T> = { readonly value: T } | { readonly asked: JsonObject }
type HandlerRun<T> = (context: HandlerContext) => Promise<T>

/** One run of a handler that may ask its caller. Nothing is created for questions before the first. */
export interface ElicitingRun {
  /** The context of the latest run. */
  readonly context: HandlerContext
  /** The result with the open questions; undefined if there are none. */
  asked(): Promise<JsonObject> | undefined
  /** Handles the error that ended a run: asks the questions in it, or throws it again. */
  suspended<T>(thrown: unknown, run: HandlerRun<T>): Promise<ElicitedResult<T>>
  /** Ends the call: no message about it may follow, and no question of it stays open. */
  end(): void
}

export async function runWithElicitation<T>(
  x: RequestContext,
  run: HandlerRun<T>,
  promotable?: PromotableCall,
): Promise<ElicitedResult<T>> {
  return elicitInRun(await resumeRun(x, promotable), run)
}

/** Goes on after the answers that the request carries, if it carries any. */
export const resumeRun = async (x: RequestContext, promotable?: PromotableCall): Promise<ElicitingRun> =>
  carriesAnswers(x) ? new RoundRun(x, await RoundElicitor.resume(x), promotable) : elicitingRun(x, promotable)

/** Runs the handler, and asks its questions. */
export async function elicitInRun<T>(eliciting: ElicitingRun, run: HandlerRun<T>): Promise<ElicitedResult<T>> {
  try {
    const value = await run(eliciting.context)
    const asked = eliciting.asked()
    return asked ? { asked: await asked } : { value }
  } catch (thrown) {
    return await eliciting.suspended(thrown, run)
  } finally {
    eliciting.end()
  }
}

/** True if the request carries answers to earlier questions, or their state. */
export const carriesAnswers = ({ params, revision }: RequestContext): boolean =>
  (params.requestState !== undefined || params.inputResponses !== undefined) && revision.asking === 'results'

export const elicitingRun = (x: RequestContext, promotable?: PromotableCall): ElicitingRun =>
  x.revision.asking === 'results' ? new RoundRun(x, undefined, promotable) : new RequestRun(x)

/** Questions are results, and their answers come with the next request. */
class RoundRun implements ElicitingRun {
  readonly context: HandlerContext
  readonly #x: RequestContext
  #rounds: RoundElicitor | undefined

  constructor(x: RequestContext, rounds: RoundElicitor | undefined, call: PromotableCall | undefined) {
    this.#x = x
    this.#rounds = rounds
    const elicitor = () => call?.task ?? this.#elicitor()
    const parts: ContextParts = { elicitor, resumed: rounds?.resumed, continued: rounds?.continued }
    // Once the call has become a task, the task asks, and there is no channel for progress and logs.
    const promotable = call && {
      send: (message: string) => (call.task ? undefined : x.reply.send(message)),
      promoteToTask: () => call.begin(this.#elicitor().effects),
      keptMs: () => (call.task ? lifetimeLeftMs(call.task.record) : 0),
    }
    this.context = new HandlerContext(x, promotable ? { ...parts, ...promotable } : parts)
  }

  #elicitor(): RoundElicitor {
    this.#rounds ??= new RoundElicitor(this.#x)
    return this.#rounds
  }

  /** A handler that caught the suspension and returned has still not been answered. */
  asked(): Promise<JsonObject> | undefined {
    return this.#rounds?.waiting ? this.#rounds.result() : undefined
  }

  async suspended(thrown: unknown): Promise<{ readonly asked: JsonObject }> {
    if (thrown instanceof SuspendedForInput && this.#rounds) return { asked: await this.#rounds.result() }
    if (!(thrown instanceof SuspendedWithQuestions)) throw thrown
    const rounds = this.#elicitor()
    rounds.put(questionsOf(this.#x, thrown))
    return { asked: await rounds.result(thrown.required.state) }
  }

  end(): void {
    this.context.end()
  }
}

/** Questions are requests to the client, so the run waits for their answers. */
class RequestRun implements ElicitingRun {
  context: HandlerContext
  readonly #x: RequestContext
  #requests: RequestElicitor | undefined
  #ended = false

  constructor(x: RequestContext) {
    this.#x = x
    this.context = new HandlerContext(x, { elicitor: this.#elicitor })
  }

  readonly #elicitor = (): RequestElicitor => {
    if (this.#requests) return this.#requests
    this.#requests = requestElicitor(this.#x)
    if (this.#ended) this.#requests.end()
    return this.#requests
  }

  asked(): undefined {
    return undefined
  }

  async suspended<T>(thrown: unknown, run: HandlerRun<T>): Promise<{ readonly value: T }> {
    let suspension = thrown
    for (let runs = 1; suspension instanceof SuspendedWithQuestions && runs < mostRuns; runs++) {
      const { state } = suspension.required
      const elicitor = this.#elicitor()
      const asking = questionsOf(this.#x, suspension).map(
        async ([key, question]) => [key, await elicitor.ask(key, question, true)] as const,
      )
      const resumed = { responses: Object.fromEntries(await Promise.all(asking)), state }
      const checking = this.context.checkAnswer?.()
      if (checking) await checking
      elicitor.beginRun()
      this.context = this.context.next(resumed)
      try {
        return { value: await run(this.context) }
      } catch (next) {
        suspension = next
      }
    }
    throw suspension
  }

  end(): void {
    this.context.end()
    this.#ended = true
    this.#requests?.end()
  }
}

const questionsOf = ({ peerInfo }: RequestContext, { required }: SuspendedWithQuestions) =>
  Object.entries(required.asks).map(([key, ask]) => [key, inputRequestFor(key, ask, peerInfo)] as const)
