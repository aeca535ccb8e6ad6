// https://platform.openai.com/docs/guides/function-calling?api-mode=responses
import type { JsonObject } from '../../json.js'
import { lowerToObject } from '../lower/lower-to-object.js'
import { lowerToStrict } from '../lower/lower-to-strict.js'
import type { Provider } from '../provider.js'
import { type ModelOutcome, outcomeText } from '../result/model-outcome.js'
import { marked } from './openai-chat.js'

export type ResponsesTool = { type: 'function'; name: string; description: string; parameters: JsonObject; strict: boolean }
type ResponsesItem = { readonly type: string; readonly call_id?: string; readonly name?: string; readonly arguments?: unknown }
export type ResponsesResponse = { readonly output: readonly ResponsesItem[] }
type ResponsesContent = { type: 'input_text'; text: string } | { type: 'input_image'; image_url: string; detail: 'auto' }
export type ResponsesOutput = { type: 'function_call_output'; call_id: string; output: string | ResponsesContent[] }

const imageTypes = ['image/jpeg', 'image/png', 'image/gif', 'image/webp']

export const openaiResponses: Provider<ResponsesTool[], ResponsesResponse, ResponsesOutput, ResponsesOutput> = {
  lower: (plain, reportLoss, strict) => (strict ? lowerToStrict : lowerToObject)(plain, reportLoss),
  tools: (offered) =>
    offered.map(({ alias, description, lowered }) => ({
      type: 'function',
      name: alias,
      description,
      parameters: lowered.schema,
      // The default of this field is true.
      strict: lowered.strict,
    })),
  callsIn: ({ output }) =>
    output
      .filter(({ type }) => type === 'function_call')
      .map(({ call_id, name, arguments: args }) => ({ id: call_id, alias: name ?? '', args })),
  answer: ({ id }, outcome) => ({ type: 'function_call_output', call_id: id ?? '', output: outputOf(outcome) }),
  append: (items) => items,
  shows: (mediaType) => imageTypes.includes(mediaType),
}

function outputOf(outcome: ModelOutcome): string | ResponsesContent[] {
  if (outcome.parts.every(({ type }) => type === 'text')) return marked(outcome.isError, outcomeText(outcome))
  const content = outcome.parts.map(
    (part): ResponsesContent =>
      part.type === 'text'
        ? { type: 'input_text', text: part.text }
        : { type: 'input_image', image_url: `data:${part.mediaType};base64,${part.data}`, detail: 'auto' },
  )
  return outcome.isError ? [{ type: 'input_text', text: marked(true, 'the call failed.') }, ...content] : content
}
