// The server's description of itself: by initialize in revisions with a handshake, by server/discover in the others.
import { isObject, type JsonObject } from '../json.js'
import { codes, RpcError } from '../jsonrpc/error.js'
import { pickMembers } from '../revisions/encode/pick-members.js'
import { tasksExtension } from '../revisions/meta-keys.js'
import type { Revision } from '../revisions/revision.js'
import type { Caller } from '../tools/caller.js'
import type { App } from './app.js'
import type { RequestContext } from './request-context.js'

/** Each is kept in memory for as long as the session, and within a header in its token. */
const longestDetails = 2_048
const named = ['name', 'version']
/** Capabilities that decide about requests to the client; `experimental` and extensions may be long. */
const needed = ['roots', 'sampling', 'elicitation', 'tasks']

const unlessLong = <T>(details: JsonObject, instead: T): JsonObject | T =>
  JSON.stringify(details).length <= longestDetails ? details : instead

export function answerInitialize({ app, params, caller, conversation, reply }: RequestContext): JsonObject {
  if (conversation.peerInfo) throw new RpcError(codes.invalidRequest, 'This connection has been initialized already')
  const { protocolVersion, capabilities, clientInfo } = params
  if (typeof protocolVersion !== 'string' || !isObject(capabilities) || !isObject(clientInfo)) {
    throw new RpcError(codes.invalidParams, 'initialize needs protocolVersion, capabilities and clientInfo')
  }
  const revision = (conversation.revisions ?? app.revisions).negotiate(protocolVersion)
  conversation.peerInfo = {
    revision,
    capabilities: unlessLong(capabilities, unlessLong(pickMembers(capabilities, needed), {})),
    clientInfo: unlessLong(clientInfo, unlessLong(pickMembers(clientInfo, named), undefined)),
    logLevel: undefined,
  }
  const instructions = instructionsFor(app, caller)
  return {
    protocolVersion: revision.version,
    capabilities: capabilitiesOf(app, revision, { known: !conversation.caller.anonymous && reply.twoWay }),
    serverInfo: serverInfoFor(app, revision),
    ...(instructions !== undefined && { instructions }),
  }
}

export function answerDiscover({ app, caller, revision }: RequestContext): JsonObject {
  const instructions = instructionsFor(app, caller)
  return {
    supportedVersions: [...app.revisions.versions],
    capabilities: capabilitiesOf(app, revision, { known: false }),
    ...(instructions !== undefined && { instructions }),
  }
}

const instructionsFor = (app: App, caller: Caller): string | undefined => app.settings.instructions(app.catalog.toolsFor(caller))

export const serverInfoFor = (app: App, revision: Revision): JsonObject =>
  pickMembers(app.settings.implementation, revision.fields.implementation)

/** Derived from the same facts that decide which methods are served. */
function capabilitiesOf(app: App, revision: Revision, caller: { known: boolean }): JsonObject {
  const { capabilities: rules } = revision
  const { catalog } = app
  const changes = rules.listChangedAlways || !app.settings.fixed ? { listChanged: true } : {}
  const said: JsonObject = {}
  if (catalog.serves.tools) said.tools = changes
  if (catalog.serves.resources) said.resources = { ...changes, subscribe: true }
  if (catalog.serves.prompts) said.prompts = changes
  if (rules.completions && catalog.serves.completions) said.completions = {}
  if (rules.logging && app.settings.logging) said.logging = {}
  if (revision.tasks === 'on-request' && catalog.offersTasks)
    said.tasks = { requests: { tools: { call: {} } }, cancel: {}, ...(caller.known && { list: {} }) }
  const tasks = revision.tasks === 'extension' && catalog.offersTasks && { [tasksExtension]: {} }
  const extensions = { ...app.settings.extensions, ...tasks }
  if (rules.extensions && Object.keys(extensions).length > 0) said.extensions = extensions
  return said
}
