import type { JsonObject } from '../json.js'
import type { SamplingRequest } from '../tools/ask.js'
import { pick } from './members.js'

const fields = [
  'messages',
  'maxTokens',
  'systemPrompt',
  'modelPreferences',
  'includeContext',
  'temperature',
  'stopSequences',
  'metadata',
]

/** Before tools could be offered to the model, a message held one block. */
export function plainSampling(request: SamplingRequest): JsonObject {
  const messages = request.messages.flatMap(({ role, content }) => [content].flat().map((block) => ({ role, content: block })))
  return { ...pick(request, fields), messages }
}

export const toolSampling = (request: SamplingRequest): JsonObject => pick(request, [...fields, 'tools', 'toolChoice'])
