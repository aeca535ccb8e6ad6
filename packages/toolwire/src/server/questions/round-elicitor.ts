// Questions as results: the call ends with its questions, the client retries with the answers, and the handler runs again from the start.
// The progress so far travels along, sealed. spec 2026-07-28, basic/patterns/mrtr
import { canonicalJson, type Json, type JsonObject } from '../../json.js'
import { codes, RpcError } from '../../jsonrpc/error.js'
import { withoutReplica, withReplica } from '../../peer/replica-ids.js'
import { base64Url } from '../../tools/content.js'
import type { ResumedRound } from '../../tools/context.js'
import { Refusal } from '../../tools/refusal.js'
import { ToolError } from '../../tools/result.js'
import { SuspendedForInput } from '../../tools/suspension.js'
import { Effects, type RecordedEffects } from '../calls/effects.js'
import type { RequestContext } from '../request-context.js'
import { type Elicitor, type InputRequest, questionText } from './elicitor.js'
import { responsesIn } from './read-answer.js'
import type { SpentTickets } from './spent-tickets.js'

const lifetimeMs = 600_000
const mostRounds = 10
const largestState = 16_384

/** The contents of `requestState`, before they are sealed. */
type RoundState = {
  round: number
  answers: { [key: string]: JsonObject }
  /** Digests of the questions that were put, by their key. */
  questions: { [key: string]: string }
  effects: RecordedEffects
  state?: Json
  /** Valid only once: two runs from the same state would repeat everything after it. */
  ticket: string
  until: number
}

export class RoundElicitor implements Elicitor {
  readonly effects: Effects
  readonly resumed: ResumedRound | undefined
  /** An earlier round of the same call was admitted. */
  readonly continued: boolean
  readonly #x: RequestContext
  readonly #past: RoundState | undefined
  readonly #given: Readonly<Record<string, JsonObject>>
  /** The next round depends on the memory of this process. */
  #isHeldHere = false
  readonly #asked = new Map<string, InputRequest>()
  /** A digest for each key: of the question that was put last, or that its answer was used for. */
  readonly #questions: Map<string, string>
  /** A question whose text is not the one that was answered. */
  #changed: string | undefined

  constructor(x: RequestContext, past?: RoundState, given: Readonly<Record<string, JsonObject>> = {}) {
    this.#x = x
    this.#past = past
    this.#given = { ...past?.answers, ...given }
    this.#questions = new Map(Object.entries(past?.questions ?? {}))
    this.effects = new Effects(past?.effects)
    this.resumed = past || x.params.inputResponses ? { responses: this.#given, state: past?.state } : undefined
    this.continued = past !== undefined
  }

  /** Resumes after an earlier round. A client that knows the questions may also answer them in the first request. */
  static async resume(x: RequestContext): Promise<RoundElicitor> {
    const given = responsesIn(x.params)
    const { requestState } = x.params
    return new RoundElicitor(x, requestState === undefined ? undefined : await openRoundState(requestState, x), given)
  }

  get waiting(): boolean {
    return this.#asked.size > 0
  }

  async ask(key: string, question: InputRequest, again = false): Promise<JsonObject> {
    const answer = again || this.#asked.has(key) ? undefined : this.#given[key]
    if (answer && (await this.#isAnswered(key, question))) return answer
    this.#asked.set(key, question)
    // Questions that are asked together belong in one round, so give the others time to be asked.
    await new Promise((resolve) => setTimeout(resolve, 0))
    throw new SuspendedForInput(`Waiting for the answer to "${key}"`)
  }

  /** False if the answer under this key was given to a question with another text. */
  async #isAnswered(key: string, question: InputRequest): Promise<boolean> {
    const digest = await questionDigest(question)
    const put = this.#questions.get(key)
    if (put === undefined) this.#questions.set(key, digest)
    else if (put !== digest) this.#changed = key
    return put === undefined || put === digest
  }

  put(questions: readonly (readonly [string, InputRequest])[]): void {
    for (const [key, question] of questions) this.#asked.set(key, question)
  }

  holdHere(): void {
    this.#isHeldHere = true
  }

  async result(state: Json | undefined = this.#past?.state): Promise<JsonObject> {
    const round = (this.#past?.round ?? 0) + 1
    if (round > mostRounds) throw tooManyRounds(this.#changed)
    const effects = await this.effects.record()
    // A question that is asked meanwhile is part of this round, too.
    for (const [key, question] of this.#asked) this.#questions.set(key, await questionDigest(question))
    const inputRequests = this.#asked.size > 0 && { inputRequests: Object.fromEntries(this.#asked) }
    const answers = Object.fromEntries(Object.entries(this.#given).filter(([key]) => !this.#asked.has(key)))
    const past: RoundState = {
      round,
      answers,
      questions: Object.fromEntries(this.#questions),
      effects,
      ticket: crypto.randomUUID(),
      until: Date.now() + lifetimeMs,
      ...(state !== undefined && { state }),
    }
    const { sealer, replica } = this.#x.app
    const sealed = await sealer.seal(await purposeOf(this.#x), past)
    const requestState = this.#isHeldHere ? withReplica(replica, sealed) : sealed
    if (requestState.length > largestState)
      throw new ToolError(
        `The state kept between questions exceeds ${largestState} bytes. Return less from ctx.once, or keep it on the server.`,
      )
    return { resultType: 'input_required', ...inputRequests, requestState }
  }
}

/** Binds the state to this caller, this method and these arguments; it does not open for any others. */
async function purposeOf({ request: { method }, params, caller }: RequestContext): Promise<string> {
  const { name, arguments: args, uri } = params
  const digest = await digestOf(canonicalJson([method, name ?? null, args ?? null, uri ?? null, caller.id]))
  return `round:${digest.join('.')}`
}

const questionDigest = async (question: InputRequest): Promise<string> => base64Url(await digestOf(questionText(question)))

async function digestOf(text: string): Promise<Uint8Array> {
  return new Uint8Array(await crypto.subtle.digest('SHA-256', new TextEncoder().encode(text)))
}

function tooManyRounds(changed: string | undefined): ToolError {
  const gaveUp = `Gave up after ${mostRounds} rounds of questions`
  if (changed === undefined) return new ToolError(gaveUp)
  return new ToolError(
    `${gaveUp}: the question "${changed}" differs in each. Keep what it depends on with ctx.once, so that it stays the same`,
  )
}

async function openRoundState(token: Json, x: RequestContext): Promise<RoundState> {
  const { sealer, spent, replica } = x.app
  // A state that opens was sealed by this server, so its form is known.
  const isOurs = typeof token === 'string' && token.length <= largestState
  const past = isOurs
    ? ((await sealer.open(await purposeOf(x), replica === undefined ? token : withoutReplica(token))) as RoundState | undefined)
    : undefined
  if (!past) throw new RpcError(codes.invalidParams, 'params.requestState was not issued for this request')
  if (past.until < Date.now())
    throw new RpcError(codes.invalidParams, 'params.requestState has expired; send the request again without it')
  if (!(await claimed(spent, past))) throw new RpcError(codes.invalidParams, 'params.requestState has been used already')
  return past
}

async function claimed(spent: SpentTickets, { ticket, until }: RoundState): Promise<boolean> {
  try {
    return await spent.claim(ticket, until)
  } catch (cause) {
    throw new Refusal('busy', 'Answers cannot be accepted now, because the used ones cannot be looked up; try again in 1 s', {
      cause,
      retryAfterMs: 1_000,
    })
  }
}
