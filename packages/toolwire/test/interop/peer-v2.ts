import { Client, LOG_LEVEL_META_KEY, type Tool, type Transport } from '@modelcontextprotocol/client'
import type { CallToolResult } from '@modelcontextprotocol/sdk/types.js'
import { answers, capabilities, noNotifications, type Peer } from './peer.js'

/** The client probes the server, requires one modern version, or offers an older one. */
export type RevisionChoice = 'modern' | { pin: string } | { legacy: string }

/** Connects the client of SDK v2. */
export async function connectV2(transport: Transport, choice: RevisionChoice): Promise<Peer> {
  const received = noNotifications()
  const onChanged = (error: Error | null, tools: Tool[] | null) => {
    if (error) received.errors.push(error)
    else received.tools.push((tools ?? []).map(({ name }) => name))
  }
  const client = new Client(
    { name: 'sdk-v2', version: '2.0.0' },
    { capabilities, listChanged: { tools: { onChanged, debounceMs: 0 } }, ...negotiation(choice) },
  )
  client.onerror = (error) => received.errors.push(error)
  answerQuestions(client)
  client.setNotificationHandler('notifications/message', ({ params }) => void received.logs.push(params))
  client.setNotificationHandler('notifications/resources/updated', ({ params }) => void received.updated.push(params.uri))
  await client.connect(transport)
  return {
    get version() {
      return client.getNegotiatedProtocolVersion()
    },
    received,
    client,
    call: async (name, args = {}, { meta, ...options } = {}) => {
      const params = { name, arguments: args, ...(meta && { _meta: meta }) }
      return (await client.callTool(params, options)) as CallToolResult // the same shape in both SDKs
    },
    tools: async () => (await client.listTools()).tools,
    watch: (uri) => (choice === 'modern' ? client.listen({ resourceSubscriptions: [uri] }) : client.subscribeResource({ uri })),
    [Symbol.asyncDispose]: () => client.close(),
  }
}

export const logLevelKey = LOG_LEVEL_META_KEY

function negotiation(choice: RevisionChoice) {
  if (choice === 'modern') return { versionNegotiation: { mode: 'auto' as const } }
  return 'pin' in choice ? { versionNegotiation: { mode: choice } } : { supportedProtocolVersions: [choice.legacy] }
}

function answerQuestions(client: Client): void {
  client.setRequestHandler('elicitation/create', ({ params }) => (params.mode === 'url' ? answers.visit : answers.form(params)))
  client.setRequestHandler('sampling/createMessage', () => answers.model)
  client.setRequestHandler('roots/list', () => answers.roots)
}
