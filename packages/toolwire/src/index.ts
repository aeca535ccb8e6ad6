export type { CancelToken } from './bounds/cancel-token.js'
export { type Json, JsonError, type JsonErrorCode, type JsonLimits, type JsonObject, parseJson } from './json.js'
export { type ErrorObject, RpcError } from './jsonrpc/error.js'
export type { Answer, Application, Sealer, Served } from './peer/application.js'
export { type ConcurrencyOptions, concurrency } from './policy/concurrency/index.js'
export type { GuardOptions } from './policy/guard.js'
export type { Next, Policy } from './policy/policy.js'
export { type FallbackOptions, withLocalFallback } from './policy/rate-limit/fallback.js'
export { type RateLimitOptions, rateLimit } from './policy/rate-limit/index.js'
export { type LimitStore, memoryLimits } from './policy/rate-limit/store.js'
export { type JsonSchema, jsonSchema } from './schema/json-schema.js'
export { SchemaError } from './schema/schema-error.js'
export type { CacheHints } from './server/cache-hints.js'
export type { ToolView, ToolViewFor } from './server/lists/tool-lists.js'
export type { ServerGuard, ServerLimits, ServerOptions, ToolSet } from './server/options.js'
export type { InputRequest } from './server/questions/elicitor.js'
export type { SpentTickets } from './server/questions/spent-tickets.js'
export { type Reporter, reportTo } from './server/report-fault.js'
export type { ServedFeatures } from './server/served-features.js'
export { type LiveEntries, type Server, server, type WatchedResources } from './server/server.js'
export type { TaskRecord, TaskStatus, TaskStore } from './server/tasks/task-store.js'
export {
  type Ask,
  ask,
  Declined,
  type InputRequired,
  inputRequired,
  type ModelAsk,
  type Root,
  type RootsAsk,
  type SamplingRequest,
  type SamplingResult,
  type UrlAsk,
  type WaitUntil,
} from './tools/ask.js'
export type { Caller } from './tools/caller.js'
export { DefinitionError } from './tools/checks/definition-error.js'
export type { Annotations, Content, Icon, ResourceContents } from './tools/content.js'
export type { AskFunction, Context, Log, LogLevel, ResumedRound, SupportedQuestions } from './tools/context.js'
export { tool } from './tools/define-tool.js'
export { type Prompt, type PromptArgument, type PromptDefinition, type PromptMessage, prompt } from './tools/prompt.js'
export { type Reason, Refusal } from './tools/refusal.js'
export { type RelayDefinition, relay } from './tools/relayed-tool.js'
export {
  type Completer,
  type ReadResult,
  type Resource,
  type ResourceDefinition,
  resource,
  type Template,
  type TemplateDefinition,
  template,
} from './tools/resource.js'
export { Reply, reply, ToolError, type ToolResult } from './tools/result.js'
export type { AnyOutput, InputOf, OutputOf, StandardSchema } from './tools/standard-schema.js'
export { Suspension } from './tools/suspension.js'
export type { AnyTool, Hints, Limit, ListedTool, NoInput, ReadyTool, Tool, ToolCall, ToolDefinition } from './tools/tool.js'
export { withinRoots } from './tools/uris/within-roots.js'
export type { Arrival, Authenticate, Denial, HttpLimits, HttpOptions, ResourceOptions } from './transports/http/server/options.js'
export type { EventStore, StoredEvent } from './transports/http/server/sessions/event-store.js'
