// Runs something that may ask questions, in the way the edition has for them.
import type { JsonObject } from '../../json.js'
import { SuspendedForInput, SuspendedWithQuestions } from '../../tools/suspension.js'
import { HandlerContext } from '../calls/handler-context.js'
import type { RequestContext } from '../request-context.js'
import type { PromotableCall } from '../tasks/promote-to-task.js'
import { type Elicitor, type InputRequest, inputRequestFor, missingCapabilities, missingCapabilityError } from './elicitor.js'
import { RequestElicitor } from './request-elicitor.js'
import { type RoundContext, RoundElicitor } from './round-elicitor.js'

const mostRuns = 10

/** What came of it: a value, or the result that asks for more. */
export type ElicitedResult<T> = { readonly value: T } | { readonly asked: JsonObject }
type HandlerRun<T> = (context: HandlerContext) => Promise<T>

/** One run of a handler, which may ask its caller in the way of the revision. Nothing is made for that before it asks. */
export interface ElicitingRun {
  /** Of the latest run, where there are several. */
  readonly context: HandlerContext
  /** It has a question, and ends with the result that asks it. */
  readonly isWaiting: boolean
  /** The result that asks. */
  asked(): Promise<JsonObject>
  /** What comes of a run that has ended with this; throws it again where it is no question. */
  suspended<T>(thrown: unknown, run: HandlerRun<T>): Promise<ElicitedResult<T>>
}

export async function runWithElicitation<T>(
  x: RequestContext,
  run: HandlerRun<T>,
  promotable?: PromotableCall,
): Promise<ElicitedResult<T>> {
  const eliciting = carriesAnswers(x) ? await resumedRun(x, promotable) : elicitingRun(x, promotable)
  try {
    const value = await run(eliciting.context)
    return eliciting.isWaiting ? { asked: await eliciting.asked() } : { value }
  } catch (thrown) {
    return await eliciting.suspended(thrown, run)
  } finally {
    eliciting.context.end()
  }
}

/** Whether the request brings answers to questions that were put earlier, or their state. */
export const carriesAnswers = ({ params, revision }: RequestContext): boolean =>
  (params.requestState !== undefined || params.inputResponses !== undefined) && revision.asking === 'results'

export const elicitingRun = (x: RequestContext, promotable?: PromotableCall): ElicitingRun =>
  x.revision.asking === 'results' ? new RoundRun(x, undefined, promotable) : new RequestRun(x)

const resumedRun = async (x: RequestContext, promotable?: PromotableCall): Promise<ElicitingRun> =>
  new RoundRun(x, await RoundElicitor.resume(roundContext(x)), promotable)

/** Questions are results, and their answers come with the next request. */
class RoundRun implements ElicitingRun {
  readonly context: HandlerContext
  readonly #x: RequestContext
  #rounds: RoundElicitor | undefined

  constructor(x: RequestContext, rounds: RoundElicitor | undefined, promotable: PromotableCall | undefined) {
    this.#x = x
    this.#rounds = rounds
    const elicitor = () => this.elicitor()
    this.context = promotable ? taskContext(promotable, x, { elicitor, rounds }) : contextFor(x, elicitor, rounds)
  }

  elicitor(): RoundElicitor {
    this.#rounds ??= new RoundElicitor(roundContext(this.#x))
    return this.#rounds
  }

  /** A handler that caught the suspension and went on has still not been answered. */
  get isWaiting(): boolean {
    return this.#rounds?.waiting ?? false
  }

  asked(): Promise<JsonObject> {
    return this.elicitor().result()
  }

  async suspended(thrown: unknown): Promise<{ readonly asked: JsonObject }> {
    if (thrown instanceof SuspendedForInput && this.#rounds) return { asked: await this.#rounds.result() }
    if (!(thrown instanceof SuspendedWithQuestions)) throw thrown
    this.elicitor().put(questionsOf(this.#x, thrown))
    return { asked: await this.elicitor().result(thrown.required.state) }
  }
}

/** Questions are requests to the client, so the run waits for their answers. */
class RequestRun implements ElicitingRun {
  context: HandlerContext
  readonly isWaiting = false
  readonly #x: RequestContext
  #requests: RequestElicitor | undefined

  constructor(x: RequestContext) {
    this.#x = x
    this.context = contextFor(x, this.#elicitor, undefined)
  }

  readonly #elicitor = (): RequestElicitor => {
    this.#requests ??= requestElicitor(this.#x)
    return this.#requests
  }

  asked(): Promise<JsonObject> {
    throw new TypeError('Questions of this revision are requests, not results')
  }

  async suspended<T>(thrown: unknown, run: HandlerRun<T>): Promise<{ readonly value: T }> {
    let suspension = thrown
    for (let runs = 1; suspension instanceof SuspendedWithQuestions && runs < mostRuns; runs++) {
      const { state } = suspension.required
      const responses = await Promise.all(
        questionsOf(this.#x, suspension).map(
          async ([key, question]) => [key, await this.#elicitor().ask(key, question)] as const,
        ),
      )
      const resumed = { responses: Object.fromEntries(responses), state }
      this.context = contextFor(this.#x, this.#elicitor, { resumed, continued: true })
      try {
        return { value: await run(this.context) }
      } catch (next) {
        suspension = next
      }
    }
    throw suspension
  }
}

function questionsOf(
  { peerInfo }: RequestContext,
  { required }: SuspendedWithQuestions,
): readonly (readonly [string, InputRequest])[] {
  return Object.entries(required.asks).map(([key, ask]) => {
    const missing = missingCapabilities(ask, peerInfo.capabilities, peerInfo.revision)
    if (missing) throw missingCapabilityError(missing, peerInfo.revision)
    return [key, inputRequestFor(key, ask, peerInfo.revision, peerInfo.capabilities)] as const
  })
}

type Parts = ConstructorParameters<typeof HandlerContext>[0]
type EarlierRounds = (Pick<HandlerContext, 'resumed' | 'continued'> & Partial<Pick<Parts, 'send' | 'promoteToTask'>>) | undefined
type ElicitationStart = { readonly elicitor: () => Elicitor; readonly rounds: EarlierRounds }

/** Of a call that may become a task: then the task asks, and there is no channel for progress and logs. */
function taskContext(call: PromotableCall, x: RequestContext, { elicitor, rounds }: ElicitationStart): HandlerContext {
  return contextFor(x, () => call.task ?? elicitor(), {
    resumed: rounds?.resumed,
    continued: rounds?.continued ?? false,
    send: (message) => (call.task ? undefined : x.reply.send(message)),
    promoteToTask: () => call.begin(elicitor().effects),
  })
}

function contextFor(x: RequestContext, elicitor: () => Elicitor, earlier: EarlierRounds): HandlerContext {
  const { caller, conversation, meta, peerInfo, incoming, reply } = x
  return new HandlerContext({
    caller,
    peer: conversation,
    meta,
    peerInfo,
    incoming,
    elicitor,
    resumed: earlier?.resumed,
    continued: earlier?.continued ?? false,
    send: earlier?.send ?? reply.send,
    logLevel: () => x.logLevel,
    hangUp: reply.hangUp,
    promoteToTask: earlier?.promoteToTask,
  })
}

function requestElicitor({ conversation, reply, incoming, app, revision }: RequestContext): RequestElicitor {
  return new RequestElicitor({
    conversation,
    reply,
    signal: () => incoming.signal,
    timeoutMs: app.settings.questionTimeoutMs,
    urlRequired: revision.errors.urlRequired,
  })
}

function roundContext({ app, request, params, caller }: RequestContext): RoundContext {
  return { method: request.method, params, caller, sealer: app.sealer, spent: app.spent, now: Date.now }
}
