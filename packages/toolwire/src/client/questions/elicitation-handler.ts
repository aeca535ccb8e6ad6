// Answers all questions of a server, both those that come as requests and those inside results.
import type { Json, JsonObject } from '../../json.js'
import { codes, RpcError } from '../../jsonrpc/error.js'
import { localAllowance } from '../../policy/rate-limit/index.js'
import type { Revision } from '../../revisions/revision.js'
import { percentDecoded } from '../../text/percent-decoded.js'
import { Declined, type SamplingRequest } from '../../tools/ask.js'
import { checkSampling, usesTools } from '../../tools/checks/check-sampling.js'
import { withinRoots } from '../../tools/uris/within-roots.js'
import type { Answering, Asked } from '../client.js'
import { cancelAnswer, elicit } from './elicit.js'
import type { PendingPages } from './pending-pages.js'

/** The error code for a sampling request that the user refused. spec 2025-11-25, client/sampling#error-handling */
const userRejected = -1

type ElicitationHandlerOptions = {
  readonly answers: Answering
  readonly server: string
  readonly questionsPerMinute: number
  readonly warn: (text: string) => void
  readonly pages: PendingPages
  /** The person that is asked, by name or as any object; undefined for the program itself. */
  readonly party?: unknown
  /** True if questions that arrive together may be asked in parallel. */
  readonly atOnce?: boolean
}

type About = { readonly revision: Revision; readonly signal: AbortSignal; readonly key?: string }

/** Rate limits for each person, so that questions to one of them take nothing from another. */
class QuestionLimits {
  readonly #questionWaitMs: (key: string) => number
  /** Requests for roots disturb no person, so their rate limit is higher. */
  readonly #rootsWaitMs = localAllowance({ calls: 600, per: 'minute' })
  readonly #ids = new WeakMap<object, string>()
  #lastId = 0

  constructor(questionsPerMinute: number) {
    this.#questionWaitMs = localAllowance({ calls: questionsPerMinute, per: 'minute' })
  }

  isOver(kind: 'questions' | 'roots', party: unknown): boolean {
    return (kind === 'roots' ? this.#rootsWaitMs : this.#questionWaitMs)(this.#keyOf(party)) > 0
  }

  #keyOf(party: unknown): string {
    if (typeof party !== 'object' || party === null) return `name:${party}`
    const id = this.#ids.get(party) ?? `object:${++this.#lastId}`
    this.#ids.set(party, id)
    return id
  }
}

export class ElicitationHandler {
  readonly #options: ElicitationHandlerOptions
  readonly #limits: QuestionLimits

  constructor(options: ElicitationHandlerOptions, limits = new QuestionLimits(options.questionsPerMinute)) {
    this.#options = options
    this.#limits = limits
  }

  /** Returns a handler with other answers for a party, and otherwise the same options. Requests of one party share its rate limits. */
  with(answers: Answering, party: unknown, atOnce = false): ElicitationHandler {
    return new ElicitationHandler({ ...this.#options, answers, party, atOnce }, this.#limits)
  }

  get showsPages(): boolean {
    return this.#options.answers.page !== undefined
  }

  get atOnce(): boolean {
    return this.#options.atOnce === true
  }

  /** Returns the response to a question; throws an RpcError if there is none. */
  async answer(method: string, params: JsonObject, about: About): Promise<JsonObject> {
    if (method === 'elicitation/create') return this.#elicit(params, about)
    if (method === 'sampling/createMessage') return this.#sample(params, about)
    if (method === 'roots/list') return this.#roots(about)
    throw notDeclared(method)
  }

  #isTooMuch(): boolean {
    if (!this.#limits.isOver('questions', this.#options.party)) return false
    this.#options.warn(`The server asks more than ${this.#options.questionsPerMinute} questions a minute; the rest was not shown`)
    return true
  }

  async #elicit(params: JsonObject, about: About): Promise<JsonObject> {
    const { questions } = about.revision
    if (questions.form === undefined) throw notDeclared('elicitation/create')
    if (this.#isTooMuch()) return cancelAnswer
    const { answers, pages, warn } = this.#options
    const { page: _, ...withoutPages } = answers
    return elicit(params, { answers: questions.url ? answers : withoutPages, asked: this.#asked(about), pages, warn })
  }

  async #sample(params: JsonObject, about: About): Promise<JsonObject> {
    if (this.#isTooMuch()) throw new RpcError(codes.internalError, 'Too many questions; try again in a minute')
    const { model } = this.#options.answers
    if (!model) throw notDeclared('sampling/createMessage')
    checkRequest(params, about.revision.questions.samplingTools)
    try {
      return await model({ ...this.#asked(about), request: params })
    } catch (thrown) {
      if (thrown instanceof Declined) throw new RpcError(userRejected, 'User rejected sampling request')
      throw thrown
    }
  }

  #asked({ signal, key }: About): Asked {
    return { server: this.#options.server, signal, ...(key !== undefined && { key }) }
  }

  async #roots(about: About): Promise<JsonObject> {
    const { answers, warn, party } = this.#options
    if (this.#limits.isOver('roots', party)) throw new RpcError(codes.internalError, 'Too many questions; try again later')
    const { roots } = answers
    if (!roots) throw notDeclared('roots/list')
    const permitted = permittedRoots(typeof roots === 'function' ? await roots(this.#asked(about)) : roots, warn)
    return { roots: permitted as readonly JsonObject[] as Json[] } // read-only arrays are JSON, too
  }
}

const notDeclared = (method: string): RpcError =>
  new RpcError(codes.methodNotFound, `This client has not declared that it answers ${method}`)

function checkRequest(params: JsonObject, withTools: boolean): void {
  if (!Array.isArray(params.messages)) throw new RpcError(codes.invalidParams, 'params.messages must be a list')
  // Only the list itself is checked here; the model's adapter reads its blocks.
  const request = params as unknown as SamplingRequest
  if (!withTools && usesTools(request)) throw new RpcError(codes.invalidParams, 'This client has not declared sampling.tools')
  try {
    checkSampling('sampling/createMessage', request)
  } catch (cause) {
    throw new RpcError(codes.invalidParams, 'Each tool_use must be answered by a tool_result in the very next message', { cause })
  }
}

// The folders that are shown to the server. spec 2025-11-25, client/roots#security-considerations
type Root = { readonly uri: string; readonly name?: string }

/** Keeps only plain `file:` URIs, without dot segments and of places in a file system. */
function permittedRoots(roots: readonly Root[], warn: (text: string) => void): readonly Root[] {
  return roots.filter((root) => {
    const path = percentDecoded(root.uri) ?? '..' // cannot be read, so it cannot be trusted
    const isPlain = /^file:\/\//i.test(root.uri) && !/(^|[/\\])\.\.?([/\\]|$)/.test(path) && withinRoots([root], root.uri)
    if (!isPlain) warn(`The root ${JSON.stringify(root.uri)} is not a plain file: URI and was not shown to the server`)
    return isPlain
  })
}
