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
type ElicitedResult<T> = { readonly value: T } | { readonly asked: JsonObject }
type HandlerRun<T> = (context: HandlerContext) => Promise<T>

export function runWithElicitation<T>(x: RequestContext, run: HandlerRun<T>, late?: PromotableCall): Promise<ElicitedResult<T>> {
  return x.revision.asking === 'results' ? inRounds(x, run, late) : withRequests(x, run)
}

async function inRounds<T>(x: RequestContext, run: HandlerRun<T>, late?: PromotableCall): Promise<ElicitedResult<T>> {
  const { params } = x
  const coming = params.requestState !== undefined || params.inputResponses !== undefined
  let rounds = coming ? await RoundElicitor.resume(roundContext(x)) : undefined
  const asker = () => {
    rounds ??= new RoundElicitor(roundContext(x))
    return rounds
  }
  const context = late ? taskContext(late, x, { asker, rounds }) : contextFor(x, asker, rounds)
  try {
    const value = await run(context)
    // A handler that caught the suspension and went on has still not been answered.
    return rounds?.waiting ? { asked: await rounds.result() } : { value }
  } catch (thrown) {
    if (thrown instanceof SuspendedForInput && rounds) return { asked: await rounds.result() }
    if (!(thrown instanceof SuspendedWithQuestions)) throw thrown
    asker().put(questionsOf(x, thrown))
    return { asked: await asker().result(thrown.required.state) }
  } finally {
    context.end()
  }
}

async function withRequests<T>(x: RequestContext, run: HandlerRun<T>): Promise<ElicitedResult<T>> {
  let requests: RequestElicitor | undefined
  const asker = () => {
    requests ??= requestsOver(x)
    return requests
  }
  let context = contextFor(x, asker, undefined)
  try {
    for (let runs = 1; ; runs++) {
      try {
        return { value: await run(context) }
      } catch (thrown) {
        if (!(thrown instanceof SuspendedWithQuestions) || runs >= mostRuns) throw thrown
        const questions = questionsOf(x, thrown)
        const responses = await Promise.all(
          questions.map(async ([key, question]) => [key, await asker().ask(key, question)] as const),
        )
        context = contextFor(x, asker, {
          resumed: { responses: Object.fromEntries(responses), state: thrown.required.state },
          continued: true,
        })
      }
    }
  } finally {
    context.end()
  }
}

function questionsOf(
  { terms }: RequestContext,
  { required }: SuspendedWithQuestions,
): readonly (readonly [string, InputRequest])[] {
  return Object.entries(required.asks).map(([key, ask]) => {
    const missing = missingCapabilities(ask, terms.capabilities, terms.revision)
    if (missing) throw missingCapabilityError(missing, terms.revision)
    return [key, inputRequestFor(key, ask, terms.revision, terms.capabilities)] as const
  })
}

type Parts = ConstructorParameters<typeof HandlerContext>[0]
type EarlierRounds = (Pick<HandlerContext, 'resumed' | 'continued'> & Partial<Pick<Parts, 'send' | 'promoteToTask'>>) | undefined
type ElicitationStart = { readonly asker: () => Elicitor; readonly rounds: EarlierRounds }

/** Of a call that may become a task: then it is the task that asks, and there is no line to tell anything on. */
function taskContext(late: PromotableCall, x: RequestContext, { asker, rounds }: ElicitationStart): HandlerContext {
  return contextFor(x, () => late.task ?? asker(), {
    resumed: rounds?.resumed,
    continued: rounds?.continued ?? false,
    send: (message) => (late.task ? undefined : x.line.send(message)),
    promoteToTask: () => late.begin(asker().effects),
  })
}

function contextFor(x: RequestContext, asker: () => Elicitor, earlier: EarlierRounds): HandlerContext {
  const { caller, conversation, meta, terms, flight, line } = x
  return new HandlerContext({
    caller,
    peer: conversation,
    meta,
    terms,
    flight,
    asker,
    resumed: earlier?.resumed,
    continued: earlier?.continued ?? false,
    send: earlier?.send ?? line.send,
    logLevel: () => x.logLevel,
    hangUp: line.hangUp,
    promoteToTask: earlier?.promoteToTask,
  })
}

function requestsOver({ conversation, line, flight, app, revision }: RequestContext): RequestElicitor {
  return new RequestElicitor({
    conversation,
    line,
    signal: () => flight.signal,
    timeoutMs: app.settings.questionTimeoutMs,
    urlRequired: revision.errors.urlRequired,
  })
}

function roundContext({ app, request, params, caller }: RequestContext): RoundContext {
  return { method: request.method, params, caller, sealer: app.sealer, spent: app.spent, now: Date.now }
}
