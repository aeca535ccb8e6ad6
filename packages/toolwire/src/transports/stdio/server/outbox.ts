import type { Answer } from '../../../peer/application.js'

/** The part of a writable stream that is needed here. */
export type OutputStream = {
  write(chunk: string | Uint8Array): boolean
  cork(): void
  uncork(): void
  /** Bytes that were written, but not yet taken by the other side. */
  readonly writableLength: number
}

/** Messages that are longer together are written one by one, because joining them would copy them. */
const longJoin = 65_536

/**
 * Queues messages, one per line; short ones that are ready at the same time are sent in one write. If more than `limit` bytes are unread,
 * `overflow` is called instead of a write.
 */
export function outbox(outlet: OutputStream, limit: number, overflow: () => void) {
  let waiting: Answer['body'][] = []
  /** Characters of the texts; pieces are never joined. */
  let waitingLength = 0
  const flush = () => {
    const bodies = waiting
    if (bodies.length === 0) return
    waiting = []
    const isShort = waitingLength <= longJoin
    waitingLength = 0
    if (outlet.writableLength > limit) return overflow()
    if (isShort && bodies.every((body) => typeof body === 'string')) outlet.write(`${bodies.join('\n')}\n`)
    else writePieces(outlet, bodies)
  }
  const send = (body: Answer['body']): void => {
    waiting.push(body)
    waitingLength += body.length
    if (waiting.length === 1) setImmediate(flush)
  }
  return { send, flush }
}

function writePieces(outlet: OutputStream, bodies: readonly Answer['body'][]): void {
  outlet.cork()
  for (const body of bodies) {
    for (const piece of typeof body === 'string' ? [body] : body) outlet.write(piece)
    outlet.write('\n')
  }
  outlet.uncork()
}
