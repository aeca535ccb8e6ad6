// Reads answers from a keep-alive connection with one request in flight.
const blankLine = Buffer.from('\r\n\r\n')
const lastChunk = Buffer.from('0\r\n\r\n')

interface Head {
  readonly status: number
  readonly text: string
  readonly bodyAt: number
  /** Length of the body in bytes, or undefined if it is chunked. */
  readonly length: number | undefined
}

export class AnswerReader {
  #chunks: Buffer[] = []
  #size = 0
  #head: Head | undefined

  /** Adds a chunk; returns the JSON text of the answer once it is complete. */
  push(chunk: Buffer): string | undefined {
    this.#chunks.push(chunk)
    this.#size += chunk.length
    this.#head ??= readHead(this.#joined())
    const head = this.#head
    if (!head || !this.#whole(head, chunk)) return undefined
    const body = this.#joined().subarray(head.bodyAt)
    this.#reset()
    const text = head.length === undefined ? unchunk(body) : body.toString()
    if (head.status !== 200) throw new Error(`HTTP ${head.status}: ${text.slice(0, 300)}`)
    return head.text.includes('text/event-stream') ? answerEvent(text) : text
  }

  #whole(head: Head, chunk: Buffer): boolean {
    if (head.length !== undefined) return this.#size >= head.bodyAt + head.length
    const tail = chunk.length < lastChunk.length ? this.#joined() : chunk
    return tail.subarray(-lastChunk.length).equals(lastChunk)
  }

  #joined(): Buffer {
    const all = this.#chunks.length === 1 && this.#chunks[0] ? this.#chunks[0] : Buffer.concat(this.#chunks)
    this.#chunks = [all]
    return all
  }

  #reset(): void {
    this.#chunks = []
    this.#size = 0
    this.#head = undefined
  }
}

/** The JSON of the event with a result or an error, from a whole SSE body. */
export function answerEvent(body: string): string {
  for (const line of body.split('\n')) {
    if (line.startsWith('data:') && (line.includes('"result"') || line.includes('"error"'))) return line.slice(5).trim()
  }
  throw new Error(`no answer among the events: ${body.slice(0, 300)}`)
}

function readHead(bytes: Buffer): Head | undefined {
  const end = bytes.indexOf(blankLine)
  if (end < 0) return undefined
  const text = bytes.toString('latin1', 0, end).toLowerCase()
  const length = /content-length: *(\d+)/.exec(text)?.[1]
  return { status: Number(text.slice(9, 12)), text, bodyAt: end + 4, length: length ? Number(length) : undefined }
}

function unchunk(body: Buffer): string {
  const parts: Buffer[] = []
  for (let at = 0; ; ) {
    const lineEnd = body.indexOf('\r\n', at)
    const size = Number.parseInt(body.toString('latin1', at, lineEnd), 16)
    if (!(size > 0)) return Buffer.concat(parts).toString()
    parts.push(body.subarray(lineEnd + 2, lineEnd + 2 + size))
    at = lineEnd + 2 + size + 2
  }
}
