// Resources and prompts.
import {
  acceptedContent,
  completable,
  inputRequired,
  type McpServer,
  ResourceNotFoundError,
  ResourceTemplate,
} from '@modelcontextprotocol/server'
import { z } from 'zod'
import { contextForm } from '../fixtures/forms.js'
import { png } from '../fixtures/media.js'
import { json } from './say.js'

type Message = { role: 'user'; content: { type: 'text'; text: string } | { type: 'image'; data: string; mimeType: string } }
const says = (text: string): Message => ({ role: 'user', content: { type: 'text', text } })

export function registerResources(server: McpServer): void {
  const texts = [
    ['static_text', 'test://static-text', 'This is the content of the static text resource.'],
    ['watched', 'test://watched-resource', 'Watched resource content'],
  ] as const
  for (const [name, uri, text] of texts)
    server.registerResource(name, uri, { mimeType: 'text/plain' }, () => ({ contents: [{ uri, mimeType: 'text/plain', text }] }))
  const image = 'test://static-binary'
  server.registerResource('static_binary', image, { mimeType: 'image/png' }, () => ({
    contents: [{ uri: image, mimeType: 'image/png', blob: png }],
  }))
  const data = new ResourceTemplate('test://template/{id}/data', { list: undefined })
  server.registerResource('data', data, { mimeType: 'application/json' }, ({ href: uri }, { id }) => {
    if (id === undefined) throw new ResourceNotFoundError(uri)
    return { contents: [{ uri, mimeType: 'application/json', text: JSON.stringify({ id }) }] }
  })
  server.server.setRequestHandler('resources/subscribe', () => ({}))
  server.server.setRequestHandler('resources/unsubscribe', () => ({}))
}

export function registerPrompts(server: McpServer): void {
  server.registerPrompt('test_simple_prompt', { description: 'Always the same' }, () => ({ messages: [says('A simple prompt')] }))
  const arg1 = completable(z.string(), (start) => ['test', 'testing', 'tested'].filter((word) => word.startsWith(start ?? '')))
  const argsSchema = z.object({ arg1, arg2: z.string() })
  server.registerPrompt('test_prompt_with_arguments', { description: 'Repeats its arguments', argsSchema }, (args) => ({
    messages: [says(`Prompt with arguments: arg1='${args.arg1}', arg2='${args.arg2}'`)],
  }))
  const embedding = { description: 'Shows a resource', argsSchema: z.object({ resourceUri: z.string() }) }
  server.registerPrompt('test_prompt_with_embedded_resource', embedding, ({ resourceUri: uri }) => ({
    messages: [{ role: 'user', content: { type: 'resource', resource: { uri, mimeType: 'text/plain', text: 'Embedded' } } }],
  }))
  server.registerPrompt('test_prompt_with_image', { description: 'Shows an image' }, () => ({
    messages: [{ role: 'user', content: { type: 'image', data: png, mimeType: 'image/png' } }, says('Look at it')],
  }))
  server.registerPrompt('test_input_required_result_prompt', { description: 'Asks for context' }, ({ mcpReq }) => {
    const answer = acceptedContent(mcpReq.inputResponses, 'user_context')
    if (answer) return { messages: [says(`Use this context: ${JSON.stringify(answer)}`)] }
    const question = inputRequired.elicit({ message: 'What context?', requestedSchema: json(contextForm) })
    return inputRequired({ inputRequests: { user_context: question } })
  })
}
