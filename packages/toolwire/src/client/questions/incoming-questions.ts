// What a server asks of us while we talk with it, in the revisions in which servers ask.

import type { Countdown } from '../../bounds/countdown.js'
import { rejectOnAbort } from '../../bounds/reject-on-abort.js'
import { encodeJson, type JsonObject } from '../../json.js'
import { codes, RpcError } from '../../jsonrpc/error.js'
import { encodeErrorResponse, encodeResultResponse, type Id, type Request } from '../../jsonrpc/message.js'
import { metaKeys, metaOf } from '../../revisions/meta-keys.js'

/** A server that asks more than this at once is not waiting for a person. */
const mostAtOnce = 64
/** Of the texts of all that are open: as much as one message may have. */
const mostCharacters = 4 * 1024 * 1024

/** With the id of the request on whose reply a message came, and the size of its text where it is no short one. */
export type Arrived = { readonly about?: number | undefined; readonly size?: number | undefined }

type IncomingQuestionsOptions = {
  readonly asked: (request: Request, signal: AbortSignal, arrived: Arrived) => Promise<JsonObject>
  readonly respond: (text: string) => void
  /** Clocks of the calls that may be waiting for the answer. */
  readonly clocks: () => readonly Countdown[]
}

export class IncomingQuestions {
  readonly #options: IncomingQuestionsOptions
  readonly #answering = new Map<Id, AbortController>()
  #characters = 0

  constructor(options: IncomingQuestionsOptions) {
    this.#options = options
  }

  take(request: Request, arrived: Arrived = {}): void {
    const { id, method } = request
    const { respond } = this.#options
    const refuse = (code: number, message: string) => respond(encodeErrorResponse(id, { code, message }))
    if (method === 'ping') respond(encodeResultResponse(id, '{}'))
    else if (this.#answering.has(id)) refuse(codes.invalidRequest, 'A question with this id is still open')
    else if (this.#answering.size >= mostAtOnce || this.#hasNoRoom(arrived)) refuse(busy, 'Too many questions at once')
    else void this.#answer(request, arrived)
  }

  /** One is always taken, if it is no longer than a message may be. */
  #hasNoRoom({ size = 0 }: Arrived): boolean {
    return this.#answering.size > 0 && this.#characters + size > mostCharacters
  }

  /** The server does not want to know any more. */
  withdraw(id: unknown, why: Error): void {
    // Only the id of an open question finds an entry, so the id needs no check.
    this.#answering.get(id as Id)?.abort(why)
  }

  abandon(why: Error): void {
    for (const controller of this.#answering.values()) controller.abort(why)
  }

  /** Calls that wait for the person behind this client do not run out of time meanwhile. */
  async #answer({ id, ...request }: Request, arrived: Arrived): Promise<void> {
    const { asked, respond, clocks } = this.#options
    const controller = new AbortController()
    this.#answering.set(id, controller)
    this.#characters += arrived.size ?? 0
    const stopped = clocks()
    for (const clock of stopped) clock.heard('asking')
    const answer = asked({ id, ...request }, controller.signal, arrived)
    // The handler may finish later, but nothing waits for its answer.
    answer.catch(() => undefined)
    const text = await Promise.race([answer, rejectOnAbort(controller.signal)]).then(
      (result) => encodeResultResponse(id, encodeJson({ ...result, ...relatedTaskMeta(request) })),
      (thrown) => encodeErrorResponse(id, RpcError.toWire(thrown)),
    )
    this.#answering.delete(id)
    this.#characters -= arrived.size ?? 0
    if (!controller.signal.aborted) respond(text)
    for (const clock of stopped) if (!clock.stopped) clock.heard('answered')
  }
}

/** What belongs to a task says so, in the answer as in the question. spec 2025-11-25, basic/utilities/tasks#related-task-metadata */
function relatedTaskMeta({ params }: Pick<Request, 'params'>): JsonObject {
  const related = metaOf(params)?.[metaKeys.relatedTask]
  return related === undefined ? {} : { _meta: { [metaKeys.relatedTask]: related } }
}

/** Our own code, outside of those that the protocol keeps. */
const busy = -31_000
