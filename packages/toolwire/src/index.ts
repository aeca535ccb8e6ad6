export type { Json, JsonObject } from './json.js'
export { RpcError } from './jsonrpc/error.js'
export type { Answer, Application, Sealer } from './peer/application.js'
export type { Next, Policy } from './policy/policy.js'
export { jsonSchema } from './schema/json-schema.js'
export { SchemaError } from './schema/schema-error.js'
export type { ServerOptions } from './server/options.js'
export { reportTo } from './server/report.js'
export type { SpentTickets } from './server/rounds.js'
export { type Live, type Server, server } from './server/server.js'
export type { TaskRecord, TaskStore } from './server/task-store.js'
export {
  type Ask,
  ask,
  Declined,
  inputRequired,
  type Root,
  type SamplingRequest,
  type SamplingResult,
  type Until,
} from './tools/ask.js'
export type { Caller } from './tools/caller.js'
export type { Annotations, Content, Icon, ResourceContents } from './tools/content.js'
export type { Context, LogLevel } from './tools/context.js'
export { tool } from './tools/define.js'
export { DefinitionError } from './tools/fault.js'
export { type PromptMessage, prompt } from './tools/prompt.js'
export { Refusal } from './tools/refusal.js'
export { resource, template } from './tools/resource.js'
export { Reply, reply, ToolError } from './tools/result.js'
export { withinRoots } from './tools/roots.js'
export type { InputOf, OutputOf, StandardSchema } from './tools/standard-schema.js'
export type { Tool } from './tools/tool.js'
