import { decodePieces } from '../json/utf8.js'
import { codes } from '../jsonrpc/error.js'
import { encodeErrorResponse, type Id } from '../jsonrpc/message.js'
import type { Answer } from '../peer/application.js'

/** Limit in bytes of all answers to one batch. */
const largestBatch = 8 * 1024 * 1024

/** The answers to one batch, in the order of its messages, up to a limit for all of them together. */
export class BatchAnswers {
  /** True if an answer did not fit, so that no further request is carried out. */
  isFull = false
  readonly #texts: (string | undefined)[]
  #left = largestBatch

  constructor(length: number) {
    this.#texts = new Array(length)
  }

  /** Stores the answer to a request, or an error if it does not fit. */
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

  /** Stores the answer to a message that is no request. */
  add(at: number, answer: Answer): void {
    this.#texts[at] = answerText(answer)
  }

  /** Stores an error: the request was not carried out, because its answer would not fit. */
  leaveOut(at: number, id: Id): void {
    this.#texts[at] = tooLargeError(id, false)
  }

  /** All answers in one array; undefined if there are none. */
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

/** The text of an answer; prepared pieces are joined. */
export function answerText({ body }: Pick<Answer, 'body'>): string {
  return typeof body === 'string' ? body : decodePieces(body)
}
