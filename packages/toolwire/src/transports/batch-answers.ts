import { codes } from '../jsonrpc/error.js'
import { encodeErrorResponse, type Id } from '../jsonrpc/message.js'
import type { Answer } from '../peer/application.js'

/** Bytes that the answers to one batch take together. */
const largestBatch = 8 * 1024 * 1024

/** The answers to one batch, in the order of its messages, as long as there is room: together they are one result. */
export class BatchAnswers {
  /** An answer did not fit, so nothing more is carried out. */
  isFull = false
  readonly #texts: (string | undefined)[]
  #left = largestBatch

  constructor(length: number) {
    this.#texts = new Array(length)
  }

  /** Keeps the answer to a request, or says instead that it is too large. */
  take(at: number, id: Id, answer: Answer): void {
    const size = bytesIn(answer)
    if (size > this.#left) {
      this.isFull = true
      this.#texts[at] = tooLargeError(id, true)
    } else {
      this.#left -= size
      this.#texts[at] = answerText(answer)
    }
  }

  /** Keeps what answers a message that is no request. */
  add(at: number, answer: Answer): void {
    this.#texts[at] = answerText(answer)
  }

  /** Says that the request was not carried out, for want of room for its answer. */
  leaveOut(at: number, id: Id): void {
    this.#texts[at] = tooLargeError(id, false)
  }

  /** One array; undefined when there is nothing to answer. */
  get whole(): Answer | undefined {
    const texts = this.#texts.filter((text) => text !== undefined)
    return texts.length === 0 ? undefined : { body: `[${texts.join(',')}]` }
  }
}

/** A client that retries needs to know whether the request was carried out. */
const tooLargeError = (id: Id, carriedOut: boolean): string =>
  encodeErrorResponse(id, {
    code: codes.internalError,
    message: carriedOut
      ? `The request was carried out, but the answers to its batch take more than ${largestBatch} bytes; send requests with large answers alone`
      : `The request was not carried out, because the answers to its batch take more than ${largestBatch} bytes; send it again in a smaller batch`,
    data: { carriedOut },
  })

const encoder = new TextEncoder()

const bytesIn = ({ body }: Answer): number =>
  typeof body === 'string' ? encoder.encode(body).length : body.reduce((sum, piece) => sum + piece.length, 0)

/** The answer as text; prepared pieces are put together. */
export function answerText({ body }: Pick<Answer, 'body'>): string {
  if (typeof body === 'string') return body
  const decoder = new TextDecoder()
  return body.map((piece) => decoder.decode(piece, { stream: true })).join('') + decoder.decode()
}
