// https://docs.anthropic.com/en/docs/agents-and-tools/tool-use/implement-tool-use
import { lowerToObject } from '../lower/lower-to-object.js'
import type { Provider } from '../provider.js'
import type { OutcomePart } from '../result/model-outcome.js'

export type AnthropicTool = {
  name: string
  description: string
  input_schema: { type: 'object'; properties?: Record<string, unknown>; required?: string[]; [keyword: string]: unknown }
}
/** A message of the model, or an object with its content. */
export type AnthropicResponse = {
  readonly content:
    | string
    | readonly { readonly type: string; readonly id?: string; readonly name?: string; readonly input?: unknown }[]
}
const imageTypes = ['image/jpeg', 'image/png', 'image/gif', 'image/webp'] as const
type ImageType = (typeof imageTypes)[number]
type AnthropicBlock =
  | { type: 'text'; text: string }
  | { type: 'image'; source: { type: 'base64'; media_type: ImageType; data: string } }
type AnthropicResult = { type: 'tool_result'; tool_use_id: string; content: AnthropicBlock[]; is_error?: true }
export type AnthropicMessage = { role: 'user'; content: AnthropicResult[] }

export const anthropic: Provider<AnthropicTool[], AnthropicResponse, AnthropicResult, AnthropicMessage> = {
  lower: lowerToObject,
  tools: (offered) =>
    offered.map(({ alias, description, lowered }) => ({
      name: alias,
      description,
      input_schema: lowered.schema as AnthropicTool['input_schema'], // lowering has made it of this form
    })),
  callsIn: ({ content }) =>
    (typeof content === 'string' ? [] : content)
      .filter(({ type }) => type === 'tool_use')
      .map(({ id, name, input }) => ({ id, alias: name ?? '', args: input })),
  answer: ({ id }, { isError, parts }) => ({
    type: 'tool_result',
    tool_use_id: id ?? '',
    content: parts.map(blockOf),
    ...(isError && { is_error: true as const }),
  }),
  // All results of one turn belong into one message.
  append: (content) => (content.length === 0 ? [] : [{ role: 'user', content }]),
  shows: (mediaType) => imageTypes.some((type) => type === mediaType),
}

function blockOf(part: OutcomePart): AnthropicBlock {
  if (part.type === 'text') return { type: 'text', text: part.text }
  const media_type = part.mediaType as ImageType // `shows` lets no other type through
  return { type: 'image', source: { type: 'base64', media_type, data: part.data } }
}
