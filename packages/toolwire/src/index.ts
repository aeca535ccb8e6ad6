export { type Json, JsonError, type JsonErrorCode, type JsonLimits, type JsonObject, parseJson } from './json.js'
export { type ErrorObject, RpcError } from './jsonrpc/error.js'
export type { Answer, Application, Sealer, Served } from './peer/application.js'
export { type ConcurrencyOptions, concurrency } from './policy/concurrency.js'
export { type FallbackOptions, withLocalFallback } from './policy/fallback-limits.js'
export type { GuardOptions } from './policy/guard.js'
export { type LimitStore, memoryLimits } from './policy/limit-store.js'
export type { Next, Policy } from './policy/policy.js'
export { type RateLimitOptions, rateLimit } from './policy/rate-limit.js'
export { type JsonSchema, jsonSchema } from './schema/json-schema.js'
export { SchemaError } from './schema/schema-error.js'
export type { InputRequest } from './server/asker.js'
export type { ServerGuard, ServerLimits, ServerOptions, ToolSet } from './server/options.js'
export { type Reporter, reportTo } from './server/report.js'
export { type LiveEntries, type Server, server, type WatchedResources } from './server/server.js'
export type { ServedFeatures } from './server/serves.js'
export type { SpentTickets } from './server/spent-tickets.js'
export type { CacheHints } from './server/stamp.js'
export type { TaskRecord, TaskStatus, TaskStore } from './server/task-store.js'
export type { ToolView, ToolViewFor } from './server/tool-lists.js'
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
export type { Annotations, Content, Icon, ResourceContents } from './tools/content.js'
export type { AskFunction, Context, Log, LogLevel, ResumedRound, SupportedQuestions } from './tools/context.js'
export { tool } from './tools/define.js'
export { DefinitionError } from './tools/fault.js'
export { type Prompt, type PromptArgument, type PromptDefinition, type PromptMessage, prompt } from './tools/prompt.js'
export { type Reason, Refusal } from './tools/refusal.js'
export { type RelayDefinition, relay } from './tools/relay.js'
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
export { withinRoots } from './tools/roots.js'
export type { AnyOutput, InputOf, OutputOf, StandardSchema } from './tools/standard-schema.js'
export type { CancelToken } from './tools/stop-signal.js'
export { Suspension } from './tools/suspension.js'
export type { AnyTool, Hints, Limit, ListedTool, NoInput, ReadyTool, Tool, ToolCall, ToolDefinition } from './tools/tool.js'
export type { EventStore, StoredEvent } from './transports/http/event-store.js'
export type { Arrival, Authenticate, Denial, HttpLimits, HttpOptions, ResourceOptions } from './transports/http/options.js'
