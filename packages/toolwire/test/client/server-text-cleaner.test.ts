// All texts from a server are cleaned like the text of a result.
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { Client, ConnectOptions } from '../../src/client/index.js'
import { serverTextCleaner } from '../../src/client/server-text-cleaner.js'
import { RpcError } from '../../src/index.js'
import type { JsonObject } from '../../src/json.js'
import { type SanitizeOptions, sanitize } from '../../src/policy/sanitize/index.js'
import { clean } from '../policy/sanitize/cleaned.js'
import { hostileText } from '../policy/sanitize/hostile-texts.js'
import { every } from '../revisions.js'
import { connectScripted, Fails, plainTool, type Script, textResult, toolsPage } from './scripted.js'

type Connected = { readonly client: Client; readonly text: string }
type TextSource = {
  /** A server that sends the text in this place. */
  readonly script: (text: string, revision: string) => Script
  /** The text as the client delivers it. */
  readonly deliver: (connected: Connected, options: { asked: string[]; logged: string[] }) => Promise<unknown>
}

const call = { 'tools/list': toolsPage([plainTool('pay')]), 'tools/call': textResult('paid') }
const failing = (asking: Promise<unknown>) => asking.catch((thrown: Error) => thrown.message)
const page = (member: string, entries: JsonObject[]): JsonObject => ({
  ...{ resultType: 'complete', ttlMs: 0, cacheScope: 'private' },
  [member]: entries,
})
const asks = (params: (text: string) => JsonObject, method: string) => (text: string, revision: string) => {
  const done = textResult('done')
  const request = { method, params: params(text) }
  return {
    ...call,
    'tools/call':
      revision >= '2026-07-28'
        ? ({ params }: { params: JsonObject }) =>
            params.inputResponses ? done : { resultType: 'input_required', inputRequests: { q: request } }
        : async (_: unknown, server: { ask(id: string, method: string, params: JsonObject): Promise<JsonObject> }) => {
            await server.ask('q1', method, request.params)
            return done
          },
  } as Script
}
const form = (text: string): JsonObject => ({
  message: text,
  requestedSchema: { type: 'object', properties: { a: { type: 'string', title: text, description: text } } },
})

const encoded = (text: string) => Buffer.from(text).toString('base64')
const decoded = (data: string) => Buffer.from(data, 'base64').toString()

/** Every message with text, besides the results of calls. */
type Kind =
  | 'error of a call'
  | 'error of a reading'
  | 'data of an error'
  | 'progress'
  | 'log'
  | 'resource'
  | 'resource as bytes'
  | 'resource list'
  | 'template list'
  | 'prompt'
  | 'prompt with bytes'
  | 'prompt list'
  | 'completion'
  | 'instructions'
  | 'name of the server'
  | 'question with a form'
  | 'question to a model'
  | 'unknown method'

const sources: { readonly [K in Kind]: TextSource } = {
  'error of a call': {
    script: (text) => ({ ...call, 'tools/call': new Fails(-32603, text) }),
    deliver: ({ client }) => failing(client.call('pay')),
  },
  'error of a reading': {
    script: (text) => ({ 'resources/read': new Fails(-32603, text) }),
    deliver: ({ client }) => failing(client.readResource('a://b')),
  },
  'data of an error': {
    script: (text) => ({ 'prompts/get': new Fails(-32603, 'no', { why: [text] }) }),
    deliver: async ({ client }) => {
      const thrown = await client.getPrompt('p').catch((error) => error)
      expect(thrown).toBeInstanceOf(RpcError)
      return thrown.data.why[0]
    },
  },
  progress: {
    script: (text) => ({
      ...call,
      'tools/call': ({ params }, server) => {
        const { progressToken } = params._meta as { progressToken: number }
        server.notify('notifications/progress', { progressToken, progress: 1, message: text })
        return textResult('paid')
      },
    }),
    deliver: async ({ client }) => {
      const messages: unknown[] = []
      await client.call('pay', {}, { onProgress: ({ message }) => messages.push(message) })
      return messages[0]
    },
  },
  log: {
    script: (text) => ({
      ...call,
      'tools/call': (_, server) => {
        server.notify('notifications/message', { level: 'error', data: { deep: [text] }, logger: text })
        return textResult('paid')
      },
    }),
    deliver: async ({ client }, { logged }) => {
      await client.call('pay')
      const [entry] = logged.splice(0)
      const { data, logger } = JSON.parse(entry ?? '{}')
      expect(logger).toBe(data.deep[0])
      return logger
    },
  },
  resource: {
    script: (text) => ({ 'resources/read': { ...page('contents', [{ uri: 'a://b', mimeType: 'text/plain', text }]) } }),
    deliver: async ({ client }) => (await client.readResource('a://b')).map((one) => ('text' in one ? one.text : ''))[0],
  },
  'resource as bytes': {
    script: (text) => ({ 'resources/read': page('contents', [{ uri: 'a://b', mimeType: 'text/plain', blob: encoded(text) }]) }),
    deliver: async ({ client }) => (await client.readResource('a://b')).map((one) => ('blob' in one ? decoded(one.blob) : ''))[0],
  },
  'resource list': {
    script: (text) => ({ 'resources/list': page('resources', [{ uri: 'a://b', name: 'n', description: text }]) }),
    deliver: async ({ client }) => (await client.listResources())[0]?.description,
  },
  'template list': {
    script: (text) => ({
      'resources/templates/list': page('resourceTemplates', [{ uriTemplate: 'a://{b}', name: 'n', description: text }]),
    }),
    deliver: async ({ client }) => (await client.listResourceTemplates())[0]?.description,
  },
  prompt: {
    script: (text) => ({
      'prompts/get': { resultType: 'complete', messages: [{ role: 'user', content: { type: 'text', text } }] },
    }),
    deliver: async ({ client }) => {
      const { messages } = (await client.getPrompt('p')) as { messages: { content: { text: string } }[] }
      return messages[0]?.content.text
    },
  },
  'prompt with bytes': {
    script: (text) => {
      const content = { type: 'resource', resource: { uri: 'a://b', blob: encoded(text) } }
      return { 'prompts/get': { resultType: 'complete', messages: [{ role: 'user', content }] } }
    },
    deliver: async ({ client }) => {
      const { messages } = (await client.getPrompt('p')) as { messages: { content: { resource: { blob: string } } }[] }
      return decoded(messages[0]?.content.resource.blob ?? '')
    },
  },
  'prompt list': {
    script: (text) => ({
      'prompts/list': page('prompts', [{ name: 'p', description: text, arguments: [{ name: 'a', description: text }] }]),
    }),
    deliver: async ({ client }) => (await client.listPrompts())[0]?.description,
  },
  completion: {
    script: (text) => ({ 'completion/complete': { resultType: 'complete', completion: { values: [text] } } }),
    deliver: async ({ client }) => (await client.complete({ type: 'ref/prompt', name: 'p' }, { name: 'a', value: '' })).values[0],
  },
  instructions: {
    script: (instructions, revision) => openingWith({ instructions }, revision),
    deliver: async ({ client }) => client.server.instructions,
  },
  'name of the server': {
    script: (title, revision) => openingWith({ serverInfo: { name: 'n', version: '1', title } }, revision),
    deliver: async ({ client }) => client.server.title,
  },
  'question with a form': {
    script: asks(form, 'elicitation/create'),
    deliver: async ({ client }, { asked }) => {
      await client.call('pay')
      const [message, title, description] = asked.splice(0)
      expect([title, description]).toEqual([message, message])
      return message
    },
  },
  'question to a model': {
    script: asks(
      (text) => ({ messages: [{ role: 'user', content: { type: 'text', text } }], maxTokens: 1 }),
      'sampling/createMessage',
    ),
    deliver: async ({ client }, { asked }) => {
      await client.call('pay')
      return asked.splice(0)[0]
    },
  },
  'unknown method': {
    script: (text) => ({ 'x/y': { resultType: 'complete', anything: [text] } }),
    deliver: async ({ client }) => ((await client.request('x/y')) as { anything: string[] }).anything[0],
  },
}

function openingWith({ serverInfo = { name: 'n', version: '1' }, ...more }: JsonObject, revision: string): Script {
  const capabilities = {}
  return revision >= '2026-07-28'
    ? {
        'server/discover': {
          ...{ resultType: 'complete', supportedVersions: [revision], capabilities, ttlMs: 0, cacheScope: 'private', ...more },
          _meta: { 'io.modelcontextprotocol/serverInfo': serverInfo },
        },
      }
    : { initialize: { protocolVersion: revision, capabilities, serverInfo, ...more } }
}

const capabilities = { tools: {}, resources: {}, prompts: {}, completions: {}, logging: {} }
const kinds = Object.keys(sources) as Kind[] // the record has a key for each kind
const unknownThere = (kind: Kind, revision: string) => kind === 'question with a form' && revision < '2025-06-18'

const standards: readonly SanitizeOptions[] = [
  {},
  { rules: { secrets: 'strip', active: 'strip', instructions: 'strip' } },
  { sizes: { text: 200 }, rules: { secrets: 'strip' } },
]

describe.each(every)('the texts of a server in %s', (revision) => {
  it.each(
    kinds.filter((kind) => !unknownThere(kind, revision)),
  )('are cleaned in the same way as the text of a result: %s', async (kind) => {
    const source = sources[kind]
    await fc.assert(
      fc.asyncProperty(hostileText, fc.constantFrom(...standards), async (text, sanitize) => {
        const asked: string[] = []
        const logged: string[] = []
        const options: ConnectOptions = {
          guard: { sanitize },
          logLevel: 'debug',
          onLog: (entry) => logged.push(JSON.stringify(entry)),
          answers: {
            form: ({ message, schema }) => {
              const { a } = schema.properties as { a: { title: string; description: string } }
              asked.push(message, a.title, a.description)
              return { action: 'cancel' }
            },
            model: ({ request }) => {
              const { messages } = request as { messages: { content: { text: string } }[] }
              asked.push(messages[0]?.content.text ?? '')
              return { role: 'assistant', content: { type: 'text', text: 'yes' }, model: 'm' }
            },
          },
        }
        const script = { 'logging/setLevel': { resultType: 'complete' }, ...source.script(text, revision) }
        const { client } = await connectScripted(script, { revision, capabilities, lenient: true, options })
        try {
          expect(await source.deliver({ client, text }, { asked, logged })).toBe(await clean(text, sanitize))
        } finally {
          await client.close()
        }
      }),
      { seed: 13, numRuns: 15 },
    )
  })
})

it('cleans a question to a model, except for the images in its messages', async () => {
  const cleaner = serverTextCleaner(await sanitize({ rules: { secrets: 'strip' } }).words())
  const data = 'AKIAQYLPMN5HHHFPZAM2'
  const image = { type: 'image', data, mimeType: 'image/webp' }
  const result = { type: 'tool_result', toolUseId: 'u1', content: [image], structuredContent: { data } }
  const messages = [
    { role: 'user', content: image },
    { role: 'user', content: [image, result] },
  ]
  const { messages: cleaned, metadata } = await cleaner.question('sampling/createMessage', { messages, metadata: { data } })
  const removed = { data: '[secret removed: aws-access-key-id]' }
  const seen = { ...result, structuredContent: removed }
  expect([cleaned, metadata]).toEqual([[messages[0], { role: 'user', content: [image, seen] }], removed])
})
