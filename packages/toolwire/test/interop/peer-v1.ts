import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js'
import {
  type CallToolResult,
  CallToolResultSchema,
  CreateMessageRequestSchema,
  ElicitRequestSchema,
  ListRootsRequestSchema,
  LoggingMessageNotificationSchema,
  ResourceUpdatedNotificationSchema,
  type Tool,
} from '@modelcontextprotocol/sdk/types.js'
import { answers, capabilities, noNotifications, type Peer, versionSetBy } from './peer.js'

/** Connects the client of SDK v1. It offers its latest version, or the given one. */
export async function connectV1(transport: Transport, offer?: string): Promise<Peer> {
  const received = noNotifications()
  const onChanged = (error: Error | null, tools: Tool[] | null) => {
    if (error) received.errors.push(error)
    else received.tools.push((tools ?? []).map(({ name }) => name))
  }
  const client = new Client(
    { name: 'sdk-v1', version: '1.0.0' },
    { capabilities, listChanged: { tools: { onChanged, debounceMs: 0 } } },
  )
  client.onerror = (error) => received.errors.push(error)
  answerQuestions(client)
  client.setNotificationHandler(LoggingMessageNotificationSchema, ({ params }) => void received.logs.push(params))
  client.setNotificationHandler(ResourceUpdatedNotificationSchema, ({ params }) => void received.updated.push(params.uri))
  const settled = versionSetBy(transport)
  await client.connect(offer === undefined ? transport : offering(transport, offer))
  return {
    get version() {
      return settled()
    },
    received,
    client: client as unknown as Peer['client'], // same methods with other types
    call: async (name, args = {}, { meta, ...options } = {}) => {
      const params = { name, arguments: args, ...(meta && { _meta: meta }) }
      return (await client.callTool(params, CallToolResultSchema, options)) as CallToolResult // validated by the schema
    },
    tools: () => everyPage(client),
    watch: (uri) => client.subscribeResource({ uri }),
    [Symbol.asyncDispose]: () => client.close(),
  }
}

function answerQuestions(client: Client): void {
  client.setRequestHandler(ElicitRequestSchema, ({ params }) => (params.mode === 'url' ? answers.visit : answers.form(params)))
  client.setRequestHandler(CreateMessageRequestSchema, () => answers.model)
  client.setRequestHandler(ListRootsRequestSchema, () => answers.roots)
}

async function everyPage(client: Client): Promise<Tool[]> {
  const found: Tool[] = []
  let cursor: string | undefined
  do {
    const page = await client.listTools(cursor === undefined ? {} : { cursor })
    found.push(...page.tools)
    cursor = page.nextCursor
  } while (cursor !== undefined)
  return found
}

/** Replaces the version in the first message, because the SDK always offers its latest version. */
function offering(transport: Transport, version: string): Transport {
  const send = transport.send.bind(transport)
  transport.send = (message, options) => {
    const opening = 'method' in message && message.method === 'initialize'
    return send(opening ? { ...message, params: { ...message.params, protocolVersion: version } } : message, options)
  }
  return transport
}
