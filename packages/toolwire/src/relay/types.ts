// `types` of toolwire/relay: the types of members and options that a gateway passes on.
export type { CancelToken } from '../bounds/cancel-token.js'
export type {
  AnswerKinds,
  Asked,
  Change,
  CompletionRef,
  FormAnswer,
  FormAsked,
  LogEntry,
  PageAnswer,
  PageAsked,
  ServerAbout,
} from '../client/client.js'
export type { OAuthFailureCode } from '../client/oauth/oauth-failure.js'
export type { Target } from '../client/target.js'
export type { JsonErrorCode } from '../json.js'
export type { Served } from '../peer/application.js'
export type { Challenge } from '../peer/client-transport.js'
export type { AuditIntent } from '../policy/audit/record.js'
export type { AuditFault } from '../policy/audit/verify.js'
export type { ConcurrencyOptions } from '../policy/concurrency/index.js'
export type { ToolView, ToolViewFor } from '../server/lists/tool-lists.js'
export type { ServerGuard } from '../server/options.js'
export type { ServedFeatures } from '../server/served-features.js'
export type { SamplingRequest, SamplingResult } from '../tools/ask.js'
export type { Calls } from '../tools/call-result.js'
export type { AskFunction } from '../tools/context.js'
export type { PromptArgument, PromptMessage } from '../tools/prompt.js'
export type { Completer, ReadResult } from '../tools/resource.js'
export type { ListenOptions } from '../transports/http/server/node/listen.js'
export type { ForwardedRequest, ReplicaRoutes } from '../transports/http/server/replicas.js'
