import type { Answer } from '../../../peer/application.js'

/** Where bytes go: the part of a stream that is needed here. */
export type OutputStream = {
  write(chunk: string | Uint8Array): boolean
  cork(): void
  uncork(): void
  /** Bytes given to it that the other side has not taken yet. */
  readonly writableLength: number
}

/**
 * Messages on their way out, one a line. Those that are ready at the same time leave in one write. Beyond `limit` bytes that nobody
 * reads, `overflow` is called and nothing more is written.
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
