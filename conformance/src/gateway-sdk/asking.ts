// Tools that ask. They return the same result in every revision; for older clients, the SDK turns it into requests.
import {
  acceptedContent,
  CLIENT_CAPABILITIES_META_KEY,
  type ClientCapabilities,
  createRequestStateCodec,
  inputRequired,
  inputResponse,
  type McpServer,
  type ServerContext,
} from '@modelcontextprotocol/server'
import { z } from 'zod'
import { choicesForm, colorForm, contactForm, defaultsForm, nameForm, okForm } from '../fixtures/forms.js'
import { json, type Request, text } from './say.js'

/** Any key works, because the process that writes a request state also reads it. */
export const states = createRequestStateCodec({ key: crypto.getRandomValues(new Uint8Array(32)) })

const form = (message: string, schema: unknown) => inputRequired.elicit({ message, requestedSchema: json(schema) })
const thought = (words: string, maxTokens = 100) =>
  inputRequired.createMessage({ messages: [{ role: 'user', content: { type: 'text', text: words } }], maxTokens })
const whoAreYou = form('What is your name?', nameForm)

export function registerAsking(server: McpServer): void {
  registerForms(server)
  registerOthers(server)
  registerStates(server)
}

function registerForms(server: McpServer): void {
  const asks = (name: string, key: string, question: ReturnType<typeof form>) =>
    server.registerTool(name, { description: 'Puts a form before the person' }, ({ mcpReq }) => {
      const answer = acceptedContent(mcpReq.inputResponses, key)
      return answer
        ? text(`Hello, ${answer.name ?? JSON.stringify(answer)}!`)
        : inputRequired({ inputRequests: { [key]: question } })
    })
  asks('test_input_required_result_elicitation', 'user_name', whoAreYou)
  asks('test_streaming_elicitation', 'user_name', whoAreYou)
  asks('test_elicitation_sep1034_defaults', 'profile', form('Please review the fields', defaultsForm))
  asks('test_elicitation_sep1330_enums', 'choices', form('Please choose', choicesForm))
  const inputSchema = z.object({ message: z.string() })
  server.registerTool(
    'test_elicitation',
    { description: 'Asks for name and address', inputSchema },
    ({ message }, { mcpReq }) => {
      const contact = acceptedContent(mcpReq.inputResponses, 'contact')
      if (!contact) return inputRequired({ inputRequests: { contact: form(message, contactForm) } })
      return text(`User response: ${JSON.stringify(contact)}`)
    },
  )
}

function registerOthers(server: McpServer): void {
  const inputSchema = z.object({ prompt: z.string() })
  server.registerTool('test_sampling', { description: 'Asks the model', inputSchema }, ({ prompt }, { mcpReq }) => {
    const answer = answerTo(mcpReq, 'thought')
    return answer === undefined ? inputRequired({ inputRequests: { thought: thought(prompt) } }) : text(`LLM response: ${answer}`)
  })
  const capital = thought('What is the capital of France?')
  const thinks = (name: string) =>
    server.registerTool(name, { description: 'Asks the model for a capital' }, ({ mcpReq }) => {
      const answer = answerTo(mcpReq, 'capital_question')
      return answer === undefined ? inputRequired({ inputRequests: { capital_question: capital } }) : text(answer)
    })
  thinks('test_input_required_result_sampling')
  thinks('test_missing_capability')
  server.registerTool('test_input_required_result_capabilities', { description: 'Asks what can be answered' }, ({ mcpReq }) => {
    if (answerTo(mcpReq, 'capital_question') !== undefined) return text('Asked')
    const envelope = mcpReq.envelope as { [CLIENT_CAPABILITIES_META_KEY]?: ClientCapabilities } | undefined // validated by the SDK
    const { elicitation } = envelope?.[CLIENT_CAPABILITIES_META_KEY] ?? {}
    return inputRequired({ inputRequests: { capital_question: capital, ...(elicitation && { user_name: whoAreYou }) } })
  })
  server.registerTool('test_input_required_result_list_roots', { description: 'Asks for the folders' }, ({ mcpReq }) => {
    const answer = inputResponse(mcpReq.inputResponses, 'client_roots')
    if (answer.kind !== 'roots') return inputRequired({ inputRequests: { client_roots: inputRequired.listRoots() } })
    return text(`Roots: ${answer.roots.map(({ uri }) => uri).join(', ')}`)
  })
}

function registerStates(server: McpServer): void {
  const confirms = (name: string) =>
    server.registerTool(name, { description: 'Carries a state through a question' }, async ({ mcpReq, ...rest }) => {
      if (mcpReq.inputResponses?.confirm) return text(mcpReq.requestState() === undefined ? 'state-lost' : 'state-ok')
      const requestState = await states.mint({ asked: 'confirm' }, { mcpReq, ...rest } as ServerContext)
      return inputRequired({ inputRequests: { confirm: form('Please confirm', okForm) }, requestState })
    })
  confirms('test_input_required_result_request_state')
  confirms('test_input_required_result_tampered_state')
  server.registerTool('test_input_required_result_multiple_inputs', { description: 'Asks everybody at once' }, async (ctx) => {
    const { inputResponses } = ctx.mcpReq
    const name = acceptedContent(inputResponses, 'user_name')?.name
    if (name !== undefined) return text(`${answerTo(ctx.mcpReq, 'greeting')} ${name}`)
    const greeting = thought('Generate a greeting', 50)
    const inputRequests = { user_name: whoAreYou, greeting, client_roots: inputRequired.listRoots() }
    return inputRequired({ inputRequests, requestState: await states.mint({ asked: 'all' }, ctx) })
  })
  server.registerTool('test_input_required_result_multi_round', { description: 'Asks twice' }, async (ctx) => {
    const { inputResponses, requestState } = ctx.mcpReq
    const name = acceptedContent(inputResponses, 'step1')?.name ?? requestState<{ name?: string }>()?.name
    const color = acceptedContent(inputResponses, 'step2')?.color
    if (name !== undefined && color !== undefined) return text(`${name} likes ${color}`)
    const inputRequests: Record<string, ReturnType<typeof form>> = name === undefined
      ? { step1: whoAreYou }
      : { step2: form('What is your favorite color?', colorForm) }
    return inputRequired({ inputRequests, requestState: await states.mint({ name }, ctx) })
  })
}

/** The text of the model's answer, if there is one. */
function answerTo({ inputResponses }: Request, key: string): string | undefined {
  const answer = inputResponse(inputResponses, key)
  if (answer.kind !== 'sampling') return undefined
  const { content } = answer.result
  return JSON.stringify(content)
}
