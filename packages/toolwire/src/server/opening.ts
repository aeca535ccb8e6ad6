// What a server says about itself: by initialize where there is a handshake, by server/discover where there is none.
import type { JsonObject } from '../json.js'
import { codes, RpcError } from '../jsonrpc/error.js'
import { pick } from '../revisions/encode-content.js'
import { tasksExtension } from '../revisions/meta.js'
import type { ClientCapabilities, Revision } from '../revisions/revision.js'
import type { App } from './app.js'
import type { Exchange } from './exchange.js'
import { isObject } from './terms.js'

export function initialize({ app, params, conversation, line }: Exchange): JsonObject {
  if (conversation.terms) throw new RpcError(codes.invalidRequest, 'This connection has been initialized already')
  const { protocolVersion, capabilities, clientInfo } = params
  if (typeof protocolVersion !== 'string' || !isObject(capabilities) || !isObject(clientInfo)) {
    throw new RpcError(codes.invalidParams, 'initialize needs protocolVersion, capabilities and clientInfo')
  }
  const revision = app.editions.settle(protocolVersion)
  conversation.terms = { revision, capabilities: capabilities as ClientCapabilities, clientInfo, logLevel: undefined }
  const { instructions } = app.settings
  return {
    protocolVersion: revision.version,
    capabilities: capabilitiesOf(app, revision, { known: !conversation.caller.anonymous && line.twoWay }),
    serverInfo: implementation(app, revision),
    ...(instructions !== undefined && { instructions }),
  }
}

export function discover({ app, revision }: Exchange): JsonObject {
  const { instructions } = app.settings
  return {
    supportedVersions: [...app.editions.versions],
    capabilities: capabilitiesOf(app, revision, { known: false }),
    ...(instructions !== undefined && { instructions }),
  }
}

export const implementation = (app: App, revision: Revision): JsonObject =>
  pick(app.settings.implementation, revision.implementationFields)

/** Declared from the same facts that decide which methods are served. */
export function capabilitiesOf(app: App, revision: Revision, caller: { known: boolean }): JsonObject {
  const { capabilities: rules } = revision
  const changes = rules.listChangedAlways || !app.settings.fixed ? { listChanged: true } : {}
  const said: JsonObject = {}
  if (app.serves.tools) said.tools = changes
  if (app.serves.resources) said.resources = { ...changes, subscribe: true }
  if (app.serves.prompts) said.prompts = changes
  if (rules.completions && app.serves.completions) said.completions = {}
  if (rules.logging && app.settings.logging) said.logging = {}
  if (revision.tasks === 'on-request' && app.offersTasks)
    said.tasks = { requests: { tools: { call: {} } }, cancel: {}, ...(caller.known && { list: {} }) }
  if (rules.extensions) {
    const extensions = {
      ...app.settings.extensions,
      ...(revision.tasks === 'extension' && app.offersTasks && { [tasksExtension]: {} }),
    }
    if (Object.keys(extensions).length > 0) said.extensions = extensions
  }
  return said
}
