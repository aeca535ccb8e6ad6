// The AI SDK, version 5 and later. https://ai-sdk.dev/docs/ai-sdk-core/tools-and-tool-calling
import type { JsonObject } from '../../json.js'
import { lowerToObject } from '../lower/lower-to-object.js'
import type { AnswerCall, OfferedTool, Provider } from '../provider.js'
import { type ModelOutcome, outcomeText } from '../result/model-outcome.js'

/** Marks by which the SDK recognizes a schema, as its `jsonSchema()` sets them. */
const schemaMark = Symbol.for('vercel.ai.schema')
const validatorMark = Symbol.for('vercel.ai.validator')

type AiSchema = { readonly jsonSchema: JsonObject; readonly validate: undefined; readonly _type: unknown }
type AiContent = { type: 'text'; text: string } | { type: 'media'; data: string; mediaType: string }
export type AiOutput = { type: 'text' | 'error-text'; value: string } | { type: 'content'; value: AiContent[] }
type AiCallOptions = { toolCallId?: string; abortSignal?: AbortSignal }
export type AiTool = {
  description: string
  inputSchema: AiSchema
  execute(input: unknown, options?: AiCallOptions): Promise<AiOutput>
  /** Version 5 passes the output itself; later ones pass an object that holds it. */
  toModelOutput(output: AiOutput | { output: AiOutput }): AiOutput
}
export type AiTools = Record<string, AiTool>
/** The tool calls of a step, where the SDK does not run them itself. */
export type AiResponse = {
  readonly toolCalls: readonly { readonly toolCallId: string; readonly toolName: string; readonly input: unknown }[]
}
type AiResult = { type: 'tool-result'; toolCallId: string; toolName: string; output: AiOutput }
export type AiMessage = { role: 'tool'; content: AiResult[] }

export const aiSdk: Provider<AiTools, AiResponse, AiResult, AiMessage> = {
  lower: lowerToObject,
  tools: (offered, answer) => Object.fromEntries(offered.map((tool) => [tool.alias, toolOf(tool, answer)])),
  callsIn: ({ toolCalls }) =>
    toolCalls.map(({ toolCallId, toolName, input }) => ({ id: toolCallId, alias: toolName, args: input })),
  answer: ({ id, alias }, outcome) => ({ type: 'tool-result', toolCallId: id ?? '', toolName: alias, output: outputOf(outcome) }),
  append: (content) => (content.length === 0 ? [] : [{ role: 'tool', content }]),
  shows: (mediaType) => mediaType.startsWith('image/'),
}

function toolOf({ alias, description, lowered }: OfferedTool, answer: AnswerCall): AiTool {
  return {
    description,
    inputSchema: schemaOf(lowered.schema),
    execute: async (input, { toolCallId, abortSignal } = {}) =>
      outputOf(await answer({ id: toolCallId, alias, args: input }, abortSignal ? { signal: abortSignal } : {})),
    toModelOutput: (given) => ('output' in given ? given.output : given),
  }
}

/** Validation is left to the call, which tells the model what is wrong. */
function schemaOf(schema: JsonObject): AiSchema {
  const marks = { [schemaMark]: true, [validatorMark]: true }
  return { ...marks, jsonSchema: schema, validate: undefined, _type: undefined }
}

function outputOf(outcome: ModelOutcome): AiOutput {
  if (outcome.isError) return { type: 'error-text', value: outcomeText(outcome) }
  if (outcome.parts.every(({ type }) => type === 'text')) return { type: 'text', value: outcomeText(outcome) }
  return { type: 'content', value: [...outcome.parts] }
}
