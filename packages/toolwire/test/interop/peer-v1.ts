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
import { answers, capabilities, nothingHeard, type Peer, versionTold } from './peer.js'

/** Connects the client of SDK v1. It offers its newest version, unless another one is put in its mouth. */
export async function connectV1(transport: Transport, offer?: string): Promise<Peer> {
  const heard = nothingHeard()
  const onChanged = (error: Error | null, tools: Tool[] | null) => {
    if (error) heard.errors.push(error)
    else heard.tools.push((tools ?? []).map(({ name }) => name))
  }
  const client = new Client(
    { name: 'sdk-v1', version: '1.0.0' },
    { capabilities, listChanged: { tools: { onChanged, debounceMs: 0 } } },
  )
  client.onerror = (error) => heard.errors.push(error)
  answerQuestions(client)
  client.setNotificationHandler(LoggingMessageNotificationSchema, ({ params }) => void heard.logs.push(params))
  client.setNotificationHandler(ResourceUpdatedNotificationSchema, ({ params }) => void heard.updated.push(params.uri))
  const settled = versionTold(transport)
  await client.connect(offer === undefined ? transport : offering(transport, offer))
  return {
    get version() {
      return settled()
    },
    heard,
    client: client as unknown as Peer['client'], // the same methods, with types of their own
    call: async (name, args = {}, { meta, ...options } = {}) => {
      const params = { name, arguments: args, ...(meta && { _meta: meta }) }
      return (await client.callTool(params, CallToolResultSchema, options)) as CallToolResult // as the schema says
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

/** The SDK always offers its newest version; older clients are it with another word in its first message. */
function offering(transport: Transport, version: string): Transport {
  const send = transport.send.bind(transport)
  transport.send = (message, options) => {
    const opening = 'method' in message && message.method === 'initialize'
    return send(opening ? { ...message, params: { ...message.params, protocolVersion: version } } : message, options)
  }
  return transport
}
