// `providers` of toolwire/llm: the types of each provider's tools, responses and messages to append.
export type { AiMessage, AiOutput, AiResponse, AiTool, AiTools } from './ai-sdk.js'
export type { AnthropicMessage, AnthropicResponse, AnthropicTool } from './anthropic.js'
export type { GeminiContent, GeminiResponse, GeminiTools } from './gemini.js'
export type { ChatMessage, ChatResponse, ChatTool } from './openai-chat.js'
export type { ResponsesOutput, ResponsesResponse, ResponsesTool } from './openai-responses.js'
