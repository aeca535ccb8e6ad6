import type { JsonObject } from '../../json.js'
import type { SamplingRequest } from '../../tools/ask.js'
import { pickMembers } from './pick-members.js'

const fields = 'messages maxTokens systemPrompt modelPreferences includeContext temperature stopSequences metadata'.split(' ')

/** Splits messages into one block each, for revisions without sampling tools. */
export function encodePlainSampling(request: SamplingRequest): JsonObject {
  const messages = request.messages.flatMap(({ role, content }) => [content].flat().map((block) => ({ role, content: block })))
  return { ...pickMembers(request, fields), messages }
}

export const encodeToolSampling = (request: SamplingRequest): JsonObject =>
  pickMembers(request, [...fields, 'tools', 'toolChoice'])
