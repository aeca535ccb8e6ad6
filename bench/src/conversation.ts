// The client side of a session over HTTP, in either revision, as raw text.
import { answerEvent } from './http-answer.js'
import { initialize, initialized, messageText, modernHeaders, type Question, type Revision } from './wire.js'

export interface Conversation {
  readonly port: number
  readonly revision: Revision
  /** Headers of every request. */
  readonly headers: Record<string, string>
}

const always = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' }

/** Opens a session with a handshake; 2026-07-28 needs none. */
export async function openConversation(port: number, revision: Revision): Promise<Conversation> {
  if (revision === '2026-07-28') return { port, revision, headers: always }
  const opening = await post(port, always, initialize)
  const body = await opening.text()
  const answer = JSON.parse(body.startsWith('{') ? body : answerEvent(body))
  const session = opening.headers.get('mcp-session-id')
  const headers = {
    ...always,
    'mcp-protocol-version': String(answer.result.protocolVersion),
    ...(session ? { 'mcp-session-id': session } : {}),
  }
  await (await post(port, headers, initialized)).text()
  return { port, revision, headers }
}

/** The text of one request, by id; all ids have the same width, so the head is written once. */
export function requestText({ port, revision, headers }: Conversation, question: Question): (id: number) => string {
  const message = messageText(question, revision)
  const own = revision === '2026-07-28' ? modernHeaders(question) : {}
  const head = headText('POST', port, { ...headers, ...own, 'content-length': String(message(1_000_000).length) })
  return (id) => head + message(id)
}

/** The text of the GET that opens a stream of a session. */
export function streamText({ port, headers }: Conversation): string {
  const { 'content-type': _, ...own } = headers
  return headText('GET', port, { ...own, accept: 'text/event-stream' })
}

function headText(method: string, port: number, headers: Record<string, string>): string {
  const lines = Object.entries({ host: `127.0.0.1:${port}`, ...headers }).map(([name, value]) => `${name}: ${value}\r\n`)
  return `${method} /mcp HTTP/1.1\r\n${lines.join('')}\r\n`
}

function post(port: number, headers: Record<string, string>, message: object): Promise<Response> {
  return fetch(`http://127.0.0.1:${port}/mcp`, { method: 'POST', headers, body: JSON.stringify(message) })
}
