import type { IncomingMessage } from 'node:http'
import type { ReceiveBody } from '../http-exchange.js'

/** Reads the whole body, of at most so many bytes, and calls back once. */
export function collectBody(req: IncomingMessage, limit: number, receive: ReceiveBody): void {
  let size = 0
  let chunks: Buffer[] | undefined = []
  const finish: ReceiveBody = (body) => {
    if (chunks) receive(body)
    chunks = undefined
  }
  req.on('data', (chunk: Buffer) => {
    size += chunk.length
    if (size > limit) finish({ fault: 'too-large' })
    else chunks?.push(chunk)
  })
  req.on('end', () => finish(chunks?.length === 1 ? (chunks[0] as Buffer) : Buffer.concat(chunks ?? [])))
  req.on('close', () => finish({ fault: 'gone' }))
}

/** What a framework has made of the body. */
export function alreadyParsedBody(body: unknown): Uint8Array | string {
  if (body === undefined || typeof body === 'string') return body ?? ''
  return body instanceof Uint8Array ? body : JSON.stringify(body)
}
