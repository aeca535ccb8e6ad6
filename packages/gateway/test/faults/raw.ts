// Sends requests without a client, which might correct or hide errors.

export type Message = {
  readonly id?: number
  readonly method?: string
  readonly params?: { readonly progress?: number }
  readonly result?: object
  readonly error?: { readonly code: number; readonly message: string }
}

const revision = '2026-07-28'
const prefix = 'io.modelcontextprotocol'

/** A call in the newest revision, with its headers. */
export function rawCall(name: string, args: object, more: object = {}, rest: object = {}) {
  const _meta = {
    [`${prefix}/protocolVersion`]: revision,
    [`${prefix}/clientInfo`]: { name: 'raw', version: '1.0.0' },
    [`${prefix}/clientCapabilities`]: {},
    ...more,
  }
  return {
    headers: {
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      'mcp-protocol-version': revision,
      'mcp-method': 'tools/call',
      'mcp-name': name,
    },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name, arguments: args, _meta, ...rest } }),
  }
}

/** All messages in answer to a call. */
export async function messagesFor(url: string, name: string, args: object, signal?: AbortSignal): Promise<Message[]> {
  const { headers, body } = rawCall(name, args, { progressToken: 'steps' })
  const reply = await fetch(url, { method: 'POST', headers, body, ...(signal && { signal }) })
  const text = await reply.text()
  const lines = text.split('\n').flatMap((line) => (line.startsWith('data: ') ? [line.slice(6)] : []))
  return (lines.length > 0 ? lines : [text]).map((line) => JSON.parse(line) as Message)
}
