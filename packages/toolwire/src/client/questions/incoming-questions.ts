// Questions that a server sends as requests, in the revisions that allow it.

import type { Countdown } from '../../bounds/countdown.js'
import { rejectOnAbort } from '../../bounds/reject-on-abort.js'
import { sharedRoom } from '../../bounds/shared-room.js'
import { encodeJson, type JsonObject } from '../../json.js'
import { codes, RpcError } from '../../jsonrpc/error.js'
import { encodeErrorResponse, encodeResultResponse, type Id, type Request } from '../../jsonrpc/message.js'
import { metaKeys, metaOf } from '../../revisions/meta-keys.js'

/** A server that asks more than this at once is not waiting for a person. */
const mostAtOnce = 64
/** Total characters of all open questions: as many as one message may have. Each party has half of both limits. */
const mostCharacters = 4 * 1024 * 1024

/** The id of the request whose reply carried the message, and the message's size unless it is short. */
export type Arrived = { readonly about?: number | undefined; readonly size?: number | undefined }

type IncomingQuestionsOptions = {
  readonly asked: (request: Request, signal: AbortSignal, arrived: Arrived) => Promise<JsonObject>
  readonly respond: (text: string) => void
  /** The party whose call the question belongs to; undefined if it is unknown or has no name. */
  readonly partyOf: (request: Request, arrived: Arrived) => string | object | undefined
  /** Countdowns of the calls that may be waiting for the answer. */
  readonly clocks: (arrived: Arrived) => readonly Countdown[]
}

export class IncomingQuestions {
  readonly #options: IncomingQuestionsOptions
  readonly #answering = new Map<Id, AbortController>()
  readonly #places = sharedRoom<string | object>({ each: mostAtOnce / 2, all: mostAtOnce })
  readonly #characters = sharedRoom<string | object>({ each: mostCharacters / 2, all: mostCharacters })

  constructor(options: IncomingQuestionsOptions) {
    this.#options = options
  }

  take(request: Request, arrived: Arrived = {}): void {
    const { id, method } = request
    const { respond } = this.#options
    const refuse = (code: number, message: string) => respond(encodeErrorResponse(id, { code, message }))
    if (method === 'ping') respond(encodeResultResponse(id, '{}'))
    else if (this.#answering.has(id)) refuse(codes.invalidRequest, 'A question with this id is still open')
    else {
      const free = this.#takeRoom(request, arrived)
      if (free) void this.#answer(request, arrived, free)
      else refuse(busy, 'Too many questions at once')
    }
  }

  /** Returns the function that frees the room; undefined if there is none. */
  #takeRoom(request: Request, arrived: Arrived): (() => void) | undefined {
    const { size = 0 } = arrived
    const party = this.#options.partyOf(request, arrived)
    if (!this.#places.hasRoom(party, 1) || !this.#characters.hasRoom(party, size)) return undefined
    const freed = [this.#places.take(party, 1), this.#characters.take(party, size)]
    return () => {
      for (const free of freed) free()
    }
  }

  withdraw(id: unknown, why: Error): void {
    // Only the id of an open question finds an entry, so the id needs no check.
    this.#answering.get(id as Id)?.abort(why)
  }

  abandon(why: Error): void {
    for (const controller of this.#answering.values()) controller.abort(why)
  }

  /** Pauses the timeouts of the calls that may be waiting until the question is answered. */
  async #answer({ id, ...request }: Request, arrived: Arrived, free: () => void): Promise<void> {
    const { asked, respond, clocks } = this.#options
    const controller = new AbortController()
    this.#answering.set(id, controller)
    const stopped = clocks(arrived)
    for (const clock of stopped) clock.heard('asking')
    const answer = asked({ id, ...request }, controller.signal, arrived)
    // The handler may finish later, but nothing waits for its answer.
    answer.catch(() => undefined)
    const encodeError = (thrown: unknown) => encodeErrorResponse(id, RpcError.toWire(thrown))
    try {
      const text = await Promise.race([answer, rejectOnAbort(controller.signal)])
        .then((result) => encodeResultResponse(id, encodeJson({ ...result, ...relatedTaskMeta(request) })))
        .catch(encodeError)
        .catch(encodeError) // the data of an error may have no JSON form either
      if (!controller.signal.aborted) respond(text)
    } finally {
      this.#answering.delete(id)
      free()
      for (const clock of stopped) if (!clock.stopped) clock.heard('answered')
    }
  }
}

/** Repeats the question's task metadata in the answer. spec 2025-11-25, basic/utilities/tasks#related-task-metadata */
function relatedTaskMeta({ params }: Pick<Request, 'params'>): JsonObject {
  const related = metaOf(params)?.[metaKeys.relatedTask]
  return related === undefined ? {} : { _meta: { [metaKeys.relatedTask]: related } }
}

/** Our own error code, outside of those that the protocol reserves. */
const busy = -31_000
