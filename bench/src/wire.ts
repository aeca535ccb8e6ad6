// The requests that the load drivers send, in both revisions.
export type Revision = '2025-11-25' | '2026-07-28'

export interface Question {
  readonly method: string
  readonly params: Record<string, unknown>
  /** Is the result right? */
  readonly holds: (result: Result) => boolean
}

export interface Result {
  readonly tools?: readonly { readonly name: string }[]
  readonly content?: readonly { readonly text?: string }[]
  readonly structuredContent?: { readonly sum?: number }
}

const client = { name: 'bench', version: '1.0.0' }

export const initialize = {
  jsonrpc: '2.0',
  id: 1,
  method: 'initialize',
  params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: client },
}

export const initialized = { jsonrpc: '2.0', method: 'notifications/initialized' }

const meta = {
  'io.modelcontextprotocol/protocolVersion': '2026-07-28',
  'io.modelcontextprotocol/clientInfo': client,
  'io.modelcontextprotocol/clientCapabilities': {},
}

export const add: Question = {
  method: 'tools/call',
  params: { name: 'add', arguments: { a: 20, b: 22 } },
  holds: (result) => result.structuredContent?.sum === 42,
}

export const touch: Question = { method: 'tools/call', params: { name: 'touch', arguments: {} }, holds: () => true }

export const listen: Question = {
  method: 'subscriptions/listen',
  params: { notifications: { toolsListChanged: true } },
  holds: () => true,
}

export function big(bytes: number): Question {
  return {
    method: 'tools/call',
    params: { name: 'big', arguments: { bytes } },
    holds: (result) => result.content?.[0]?.text?.length === bytes,
  }
}

export function list(count: number): Question {
  return { method: 'tools/list', params: {}, holds: (result) => result.tools?.length === count }
}

export function listFrom(cursor: string | undefined): Question {
  return { method: 'tools/list', params: cursor === undefined ? {} : { cursor }, holds: (result) => result.tools !== undefined }
}

/** The text of a message around its id. */
export function messageText(question: Question, revision: Revision): (id: number) => string {
  const params = revision === '2026-07-28' ? { ...question.params, _meta: meta } : question.params
  const tail = `,"method":${JSON.stringify(question.method)},"params":${JSON.stringify(params)}}`
  return (id) => `{"jsonrpc":"2.0","id":${id}${tail}`
}

/** The headers of a 2026-07-28 request. */
export function modernHeaders(question: Question): Record<string, string> {
  const headers = { 'mcp-protocol-version': '2026-07-28', 'mcp-method': question.method }
  return typeof question.params.name === 'string' ? { ...headers, 'mcp-name': question.params.name } : headers
}
