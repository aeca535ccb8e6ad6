import type { Provider } from '../provider.js'
import { type AiMessage, type AiResponse, type AiTools, aiSdk } from './ai-sdk.js'
import { type AnthropicMessage, type AnthropicResponse, type AnthropicTool, anthropic } from './anthropic.js'
import { type GeminiContent, type GeminiResponse, type GeminiTools, gemini } from './gemini.js'
import { type ChatMessage, type ChatResponse, type ChatTool, openaiChat } from './openai-chat.js'
import { openaiResponses, type ResponsesOutput, type ResponsesResponse, type ResponsesTool } from './openai-responses.js'

/** The types of each provider's tools, responses and messages to append. */
export type Formats = {
  anthropic: { tools: AnthropicTool[]; response: AnthropicResponse; appended: AnthropicMessage }
  'openai-chat': { tools: ChatTool[]; response: ChatResponse; appended: ChatMessage }
  'openai-responses': { tools: ResponsesTool[]; response: ResponsesResponse; appended: ResponsesOutput }
  gemini: { tools: GeminiTools; response: GeminiResponse; appended: GeminiContent }
  'ai-sdk': { tools: AiTools; response: AiResponse; appended: AiMessage }
}
// Private, so that declarations of programs spell the names out.
type Provided = 'anthropic' | 'openai-chat' | 'openai-responses' | 'gemini' | 'ai-sdk'
export type ProviderName = Provided

/** A provider whose type of single answers does not matter. */
export type AnyProvider<P extends ProviderName> = Provider<
  Formats[P]['tools'],
  Formats[P]['response'],
  unknown,
  Formats[P]['appended']
>

export const providers = {
  anthropic,
  'openai-chat': openaiChat,
  'openai-responses': openaiResponses,
  gemini,
  'ai-sdk': aiSdk,
} satisfies { [P in ProviderName]: Provider<Formats[P]['tools'], Formats[P]['response'], unknown, Formats[P]['appended']> }
