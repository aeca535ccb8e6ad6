// The bare control of change streams: a set of open responses, and one event for all of them.
import type { ServerResponse } from 'node:http'

const streams = new Set<{ id: string; response: ServerResponse }>()

const event = (method: string, id: string) =>
  `data: ${JSON.stringify({ jsonrpc: '2.0', method, params: { _meta: { 'io.modelcontextprotocol/subscriptionId': id } } })}\n\n`

export function openStream(id: string, response: ServerResponse): void {
  const stream = { id, response }
  streams.add(stream)
  response.on('close', () => streams.delete(stream))
  response.writeHead(200, { 'content-type': 'text/event-stream', 'cache-control': 'no-cache' })
  response.write(event('notifications/subscriptions/acknowledged', id))
}

export function tellAll(): void {
  for (const { id, response } of streams) response.write(event('notifications/tools/list_changed', id))
}
