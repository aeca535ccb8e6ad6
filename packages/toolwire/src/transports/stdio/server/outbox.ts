import type { Answer } from '../../../peer/application.js'

/** The part of a writable stream that is needed here. */
export type OutputStream = {
  write(chunk: string | Uint8Array): boolean
  cork(): void
  uncork(): void
  /** Bytes that were written, but not yet taken by the other side. */
  readonly writableLength: number
}

/**
 * Queues messages, one per line; those that are ready at the same time are sent in one write. If more than `limit` bytes are unread,
 * `overflow` is called instead of a write.
 */
export function outbox(outlet: OutputStream, limit: number, overflow: () => void) {
  let waiting: Answer['body'][] = []
  const flush = () => {
    const bodies = waiting
    if (bodies.length === 0) return
    waiting = []
    if (outlet.writableLength > limit) return overflow()
    if (bodies.every((body) => typeof body === 'string')) outlet.write(`${bodies.join('\n')}\n`)
    else writePieces(outlet, bodies)
  }
  const send = (body: Answer['body']): void => {
    waiting.push(body)
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
