// All methods of a server, by name. The peer's revision and the served features decide which of them exist.
import type { JsonObject } from '../json.js'
import { codes, RpcError } from '../jsonrpc/error.js'
import { visibleLine } from '../text/visible.js'
import { isLogLevel, logLevels } from '../tools/context.js'
import type { App } from './app.js'
import { callTool } from './calls/call-tool.js'
import { answerDiscover, answerInitialize } from './initialize.js'
import type { EncodedResult } from './lists/list-pages.js'
import { rateLimitedList } from './lists/list-rate.js'
import { openSubscription } from './lists/subscriptions.js'
import { completeArgument } from './reads/completion.js'
import { getPrompt } from './reads/prompts.js'
import { readResource, unwatchResource, watchResource } from './reads/resources.js'
import type { RequestContext } from './request-context.js'
import { cancelTask, getTask, listTasks, taskResult, updateTask } from './tasks/task-methods.js'

type MethodResult = JsonObject | EncodedResult
export type Method = {
  readonly answer: (x: RequestContext) => MethodResult | Promise<MethodResult>
  readonly served?: (app: App) => boolean
  /** The method only waits, so it takes no place in the concurrency limit. */
  readonly idle?: boolean
}

const tools = (app: App) => app.catalog.serves.tools
const resources = (app: App) => app.catalog.serves.resources
const prompts = (app: App) => app.catalog.serves.prompts
const completions = (app: App) => app.catalog.serves.completions
const tasks = (app: App) => app.catalog.offersTasks

const methods: ReadonlyMap<string, Method> = new Map<string, Method>([
  ['initialize', { answer: answerInitialize }],
  ['server/discover', { answer: answerDiscover }],
  ['ping', { answer: () => ({}), idle: true }],
  ['tools/list', { answer: rateLimitedList((x) => x.app.catalog.listTools(x)), served: tools }],
  ['tools/call', { answer: callTool, served: tools }],
  ['resources/list', { answer: rateLimitedList((x) => x.app.catalog.listResources(x, 'resource')), served: resources }],
  ['resources/templates/list', { answer: rateLimitedList((x) => x.app.catalog.listResources(x, 'template')), served: resources }],
  ['resources/read', { answer: readResource, served: resources }],
  ['resources/subscribe', { answer: watchResource, served: resources }],
  ['resources/unsubscribe', { answer: unwatchResource, served: resources }],
  ['prompts/list', { answer: rateLimitedList((x) => x.app.catalog.listPrompts(x)), served: prompts }],
  ['prompts/get', { answer: getPrompt, served: prompts }],
  ['completion/complete', { answer: completeArgument, served: completions }],
  ['logging/setLevel', { answer: setLevel, served: (app) => app.settings.logging }],
  ['subscriptions/listen', { answer: openSubscription, idle: true }],
  ['tasks/get', { answer: getTask, served: tasks }],
  ['tasks/update', { answer: updateTask, served: tasks }],
  ['tasks/cancel', { answer: cancelTask, served: tasks }],
  ['tasks/result', { answer: taskResult, served: tasks, idle: true }],
  ['tasks/list', { answer: listTasks, served: tasks }],
])

/** A method that the revision lacks and one that is not served get the same error. */
export function methodOf({ app, request, revision }: RequestContext): Method {
  const method = methods.get(request.method)
  const known: ReadonlySet<string> = revision.methods
  if (!method || !known.has(request.method) || !(method.served?.(app) ?? true)) {
    throw new RpcError(codes.methodNotFound, `Method not found: ${visibleLine(request.method.slice(0, 128))}`)
  }
  return method
}

async function setLevel({ params, conversation }: RequestContext): Promise<JsonObject> {
  if (!isLogLevel(params.level)) throw new RpcError(codes.invalidParams, `params.level must be one of ${logLevels.join(', ')}`)
  conversation.logLevel = params.level
  await conversation.share?.({ logLevel: params.level })
  return {}
}
