// Rules for requests to the client's model. spec 2026-07-28, client/sampling
import type { JsonObject } from '../../json.js'
import type { SamplingMessage, SamplingRequest } from '../ask.js'
import { definitionError } from './definition-error.js'

/** True if the model is offered tools, or is shown uses of tools or their results. */
export const usesTools = ({ tools, toolChoice, messages }: SamplingRequest): boolean =>
  tools !== undefined ||
  toolChoice !== undefined ||
  messages.some((message) => uses(message).length + results(message).length > 0)

/** Throws if a conversation has a use of a tool without its result, or a result without its use. */
export function checkSampling(key: string, { messages }: SamplingRequest): void {
  let open: readonly string[] = []
  for (const message of messages) {
    const settled = settles(message, key)
    if (settled.join('\n') !== open.join('\n')) throw unbalanced(key)
    open = message.role === 'assistant' ? uses(message) : []
  }
  if (open.length > 0) throw unbalanced(key)
}

/** The tool uses that a message answers. A message with results may hold nothing else. */
function settles(message: SamplingMessage, key: string): readonly string[] {
  const answered = results(message)
  if (answered.length === 0) return answered
  if (message.role === 'user' && answered.length === blocks(message).length) return answered
  const why = 'mixes tool results with other content; put tool results into a user message of their own'
  throw definitionError(`The question "${key}" ${why}`)
}

const unbalanced = (key: string) =>
  definitionError(`The question "${key}" must answer each tool_use by a tool_result in the very next message, and nothing else`)

const blocks = ({ content }: SamplingMessage): readonly JsonObject[] => [content].flat()
const uses = (message: SamplingMessage) => idsOf(message, 'tool_use', 'id')
const results = (message: SamplingMessage) => idsOf(message, 'tool_result', 'toolUseId')

/** Sorted, so that two lists of the same ids are equal. */
const idsOf = (message: SamplingMessage, type: string, id: string): readonly string[] =>
  blocks(message)
    .filter((block) => block.type === type)
    .map((block) => String(block[id]))
    .toSorted()
