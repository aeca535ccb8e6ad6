// Questions as results: the call ends with what is to be asked, the client comes back with the answers, and the handler runs again
// from the start. What happened so far travels along, sealed. spec 2026-07-28, basic/patterns/mrtr
import { canonicalJson, type Json, type JsonObject } from '../../json.js'
import { codes, RpcError } from '../../jsonrpc/error.js'
import type { Sealer } from '../../peer/application.js'
import type { Caller } from '../../tools/caller.js'
import type { ResumedRound } from '../../tools/context.js'
import { ToolError } from '../../tools/result.js'
import { SuspendedForInput } from '../../tools/suspension.js'
import { Effects, type RecordedEffects } from '../calls/effects.js'
import type { Elicitor, InputRequest } from './elicitor.js'
import { responsesIn } from './read-answer.js'
import type { SpentTickets } from './spent-tickets.js'

const lifetimeMs = 600_000
const mostRounds = 10
const largestState = 16_384

/** What is sealed into `requestState`. */
type RoundState = {
  round: number
  answers: { [key: string]: JsonObject }
  effects: RecordedEffects
  state?: Json
  /** For one use only: two runs from the same state would do everything after it twice. */
  ticket: string
  until: number
}

export type RoundContext = {
  readonly method: string
  readonly params: JsonObject
  readonly caller: Caller
  readonly sealer: Sealer
  readonly spent: SpentTickets
  readonly now: () => number
}

export class RoundElicitor implements Elicitor {
  readonly effects: Effects
  readonly resumed: ResumedRound | undefined
  /** An earlier round of the same call has been admitted already. */
  readonly continued: boolean
  readonly #context: RoundContext
  readonly #past: RoundState | undefined
  readonly #given: Readonly<Record<string, JsonObject>>
  readonly #asked = new Map<string, InputRequest>()

  constructor(context: RoundContext, past?: RoundState, given: Readonly<Record<string, JsonObject>> = {}) {
    this.#context = context
    this.#past = past
    this.#given = { ...past?.answers, ...given }
    this.effects = new Effects(past?.effects)
    this.resumed = past || context.params.inputResponses ? { responses: this.#given, state: past?.state } : undefined
    this.continued = past !== undefined
  }

  /** Takes up where an earlier round ended; a client that knows the questions may also answer them at once. */
  static async resume(context: RoundContext): Promise<RoundElicitor> {
    const given = responsesIn(context.params)
    const { requestState } = context.params
    return new RoundElicitor(context, requestState === undefined ? undefined : await openRoundState(requestState, context), given)
  }

  get waiting(): boolean {
    return this.#asked.size > 0
  }

  async ask(key: string, question: InputRequest): Promise<JsonObject> {
    const answer = this.#given[key]
    if (answer && !this.#asked.has(key)) return answer
    this.#asked.set(key, question)
    // Questions put side by side belong in one round, so leave the others a moment to be put.
    await new Promise((resolve) => setTimeout(resolve, 0))
    throw new SuspendedForInput(`Waiting for the answer to "${key}"`)
  }

  /** The answer that was given does not fit: it counts as none. */
  again(key: string, question: InputRequest): Promise<JsonObject> {
    this.#asked.set(key, question)
    return this.ask(key, question)
  }

  /** Puts questions without waiting for them. */
  put(questions: readonly (readonly [string, InputRequest])[]): void {
    for (const [key, question] of questions) this.#asked.set(key, question)
  }

  /** The result that ends this round. */
  async result(state: Json | undefined = this.#past?.state): Promise<JsonObject> {
    const { sealer, now } = this.#context
    const round = (this.#past?.round ?? 0) + 1
    if (round > mostRounds) throw new ToolError(`Gave up after ${mostRounds} rounds of questions`)
    const answers = Object.fromEntries(Object.entries(this.#given).filter(([key]) => !this.#asked.has(key)))
    const past: RoundState = {
      round,
      answers,
      effects: await this.effects.record(),
      ticket: crypto.randomUUID(),
      until: now() + lifetimeMs,
      ...(state !== undefined && { state }),
    }
    const requestState = await sealer.seal(await purposeOf(this.#context), past)
    if (requestState.length > largestState)
      throw new ToolError(`What must be remembered between the questions exceeds ${largestState} bytes`)
    const inputRequests = this.#asked.size > 0 && { inputRequests: Object.fromEntries(this.#asked) }
    return { resultType: 'input_required', ...inputRequests, requestState }
  }
}

/** The state holds only for this caller, this method and these arguments; it does not even open for others. */
async function purposeOf({ method, params, caller }: RoundContext): Promise<string> {
  const { name, arguments: args, uri } = params
  const salient = new TextEncoder().encode(canonicalJson([method, name ?? null, args ?? null, uri ?? null, caller.id]))
  const digest = new Uint8Array(await crypto.subtle.digest('SHA-256', salient))
  return `round:${digest.join('.')}`
}

async function openRoundState(token: Json, context: RoundContext): Promise<RoundState> {
  const { sealer, spent, now } = context
  // What opens was sealed by us, so it has the form we gave it.
  const past =
    typeof token === 'string' && token.length <= largestState
      ? ((await sealer.open(await purposeOf(context), token)) as RoundState | undefined)
      : undefined
  if (!past) throw new RpcError(codes.invalidParams, 'params.requestState is not one that was given for this request')
  if (past.until < now())
    throw new RpcError(codes.invalidParams, 'params.requestState has expired; send the request again without it')
  if (!(await spent.claim(past.ticket, past.until)))
    throw new RpcError(codes.invalidParams, 'params.requestState has been used already')
  return past
}
