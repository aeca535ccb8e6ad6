// What a server asks of us while we talk with it, in the editions in which servers ask.

import type { Countdown } from '../../bounds/countdown.js'
import { rejectOnAbort } from '../../bounds/reject-on-abort.js'
import { encodeJson, type JsonObject } from '../../json.js'
import { codes, RpcError } from '../../jsonrpc/error.js'
import { encodeErrorResponse, encodeResultResponse, type Id, type Request } from '../../jsonrpc/message.js'
import { metaKeys, metaOf } from '../../revisions/meta-keys.js'

/** A server that asks more than this at once is not waiting for a person. */
const mostAtOnce = 64

type IncomingQuestionsOptions = {
  /** `about` is the id of the request on whose reply the question came. */
  readonly asked: (request: Request, signal: AbortSignal, about: number | undefined) => Promise<JsonObject>
  readonly respond: (text: string) => void
  /** Clocks of the calls that may be waiting for the answer. */
  readonly clocks: () => readonly Countdown[]
}

export class IncomingQuestions {
  readonly #options: IncomingQuestionsOptions
  readonly #answering = new Map<Id, AbortController>()

  constructor(options: IncomingQuestionsOptions) {
    this.#options = options
  }

  take(request: Request, about?: number): void {
    const { id, method } = request
    const { respond } = this.#options
    const refuse = (code: number, message: string) => respond(encodeErrorResponse(id, { code, message }))
    if (method === 'ping') respond(encodeResultResponse(id, '{}'))
    else if (this.#answering.has(id)) refuse(codes.invalidRequest, 'A question with this id is still open')
    else if (this.#answering.size >= mostAtOnce) refuse(busy, 'Too many questions at once')
    else void this.#answer(request, about)
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
  async #answer({ id, ...request }: Request, about: number | undefined): Promise<void> {
    const { asked, respond, clocks } = this.#options
    const controller = new AbortController()
    this.#answering.set(id, controller)
    const stopped = clocks()
    for (const clock of stopped) clock.heard('asking')
    const answer = asked({ id, ...request }, controller.signal, about)
    // The handler may finish later, but nothing waits for its answer.
    answer.catch(() => undefined)
    const text = await Promise.race([answer, rejectOnAbort(controller.signal)]).then(
      (result) => encodeResultResponse(id, encodeJson({ ...result, ...relatedTaskMeta(request) })),
      (thrown) => encodeErrorResponse(id, RpcError.toWire(thrown)),
    )
    this.#answering.delete(id)
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
