import type { Answer } from '../../../peer/application.js'

/** Where bytes go: the part of a stream that is needed here. */
export type OutputStream = {
  write(chunk: string | Uint8Array): boolean
  cork(): void
  uncork(): void
  /** Bytes given to it that the other side has not taken yet. */
  readonly writableLength: number
}

/** Messages on their way out, one a line. Those that are ready at the same time leave in one write. */
export class Outbox {
  readonly #outlet: OutputStream
  readonly #overflow: () => void
  readonly #limit: number
  #waiting: Answer['body'][] = []

  /** Beyond `limit` bytes that nobody reads, `overflow` is called and nothing more is written. */
  constructor(outlet: OutputStream, limit: number, overflow: () => void) {
    this.#outlet = outlet
    this.#limit = limit
    this.#overflow = overflow
  }

  readonly send = (body: Answer['body']): void => {
    this.#waiting.push(body)
    if (this.#waiting.length === 1) setImmediate(this.flush)
  }

  readonly flush = () => {
    const waiting = this.#waiting
    if (waiting.length === 0) return
    this.#waiting = []
    if (this.#outlet.writableLength > this.#limit) return this.#overflow()
    if (waiting.every((body) => typeof body === 'string')) this.#outlet.write(`${waiting.join('\n')}\n`)
    else this.#writePieces(waiting)
  }

  #writePieces(waiting: readonly Answer['body'][]): void {
    this.#outlet.cork()
    for (const body of waiting) {
      if (typeof body === 'string') this.#outlet.write(body)
      else for (const piece of body) this.#outlet.write(piece)
      this.#outlet.write('\n')
    }
    this.#outlet.uncork()
  }
}
