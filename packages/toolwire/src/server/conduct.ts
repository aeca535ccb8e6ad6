// Runs something that may ask questions, in the way the edition has for them.
import type { JsonObject } from '../json.js'
import { RawQuestions, Suspended } from '../tools/suspension.js'
import { type Asker, lacking, missingFor, type Question, questionOf } from './asker.js'
import { RunningContext } from './context.js'
import type { Exchange } from './exchange.js'
import type { LateTask } from './late-task.js'
import { Requests } from './requests.js'
import { type RoundContext, Rounds } from './rounds.js'

const mostRuns = 10

/** What came of it: a value, or the result that asks for more. */
type Conducted<T> = { readonly value: T } | { readonly asked: JsonObject }
type Run<T> = (context: RunningContext) => Promise<T>

export function conduct<T>(x: Exchange, run: Run<T>, late?: LateTask): Promise<Conducted<T>> {
  return x.revision.asking === 'results' ? inRounds(x, run, late) : withRequests(x, run)
}

async function inRounds<T>(x: Exchange, run: Run<T>, late?: LateTask): Promise<Conducted<T>> {
  const { params } = x
  const coming = params.requestState !== undefined || params.inputResponses !== undefined
  let rounds = coming ? await Rounds.resume(roundContext(x)) : undefined
  const asker = () => {
    rounds ??= new Rounds(roundContext(x))
    return rounds
  }
  const context = late ? becoming(late, x, { asker, rounds }) : contextFor(x, asker, rounds)
  try {
    const value = await run(context)
    // A handler that caught the suspension and went on has still not been answered.
    return rounds?.waiting ? { asked: await rounds.result() } : { value }
  } catch (thrown) {
    if (thrown instanceof Suspended && rounds) return { asked: await rounds.result() }
    if (!(thrown instanceof RawQuestions)) throw thrown
    asker().put(questionsOf(x, thrown))
    return { asked: await asker().result(thrown.required.state) }
  } finally {
    context.end()
  }
}

async function withRequests<T>(x: Exchange, run: Run<T>): Promise<Conducted<T>> {
  let requests: Requests | undefined
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
        if (!(thrown instanceof RawQuestions) || runs >= mostRuns) throw thrown
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

function questionsOf({ terms }: Exchange, { required }: RawQuestions): readonly (readonly [string, Question])[] {
  return Object.entries(required.asks).map(([key, ask]) => {
    const missing = missingFor(ask, terms.capabilities, terms.revision)
    if (missing) throw lacking(missing, terms.revision)
    return [key, questionOf(key, ask, terms.revision, terms.capabilities)] as const
  })
}

type Parts = ConstructorParameters<typeof RunningContext>[0]
type Earlier = (Pick<RunningContext, 'resumed' | 'continued'> & Partial<Pick<Parts, 'send' | 'outlast'>>) | undefined
type Begun = { readonly asker: () => Asker; readonly rounds: Earlier }

/** Of a call that may become a task: then it is the task that asks, and there is no line to tell anything on. */
function becoming(late: LateTask, x: Exchange, { asker, rounds }: Begun): RunningContext {
  return contextFor(x, () => late.task ?? asker(), {
    resumed: rounds?.resumed,
    continued: rounds?.continued ?? false,
    send: (message) => (late.task ? undefined : x.line.send(message)),
    outlast: () => late.begin(asker().effects),
  })
}

function contextFor(x: Exchange, asker: () => Asker, earlier: Earlier): RunningContext {
  const { caller, conversation, meta, terms, flight, line } = x
  return new RunningContext({
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
    outlast: earlier?.outlast,
  })
}

function requestsOver({ conversation, line, flight, app, revision }: Exchange): Requests {
  return new Requests({
    conversation,
    line,
    signal: () => flight.signal,
    timeoutMs: app.settings.questionTimeoutMs,
    urlRequired: revision.errors.urlRequired,
  })
}

function roundContext({ app, request, params, caller }: Exchange): RoundContext {
  return { method: request.method, params, caller, sealer: app.sealer, spent: app.spent, now: Date.now }
}
