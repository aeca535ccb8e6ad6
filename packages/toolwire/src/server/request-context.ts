import { isObject, type JsonObject } from '../json.js'
import { codes } from '../jsonrpc/error.js'
import type { Request } from '../jsonrpc/message.js'
import type { Conversation, PeerInfo } from '../peer/conversation.js'
import type { IncomingRequest } from '../peer/incoming-request.js'
import type { ReplyChannel } from '../peer/reply-channel.js'
import { metaKeys, metaOf } from '../revisions/meta-keys.js'
import { checkRoutingHeaders } from '../revisions/param-headers/check-headers.js'
import type { Revision } from '../revisions/revision.js'
import { EnvelopeError, type RevisionSet } from '../revisions/revision-set.js'
import type { Caller } from '../tools/caller.js'
import { isLogLevel, type LogLevel, logLevels } from '../tools/context.js'
import type { App } from './app.js'

/** A request in progress: its message, caller and revision, and the channel for messages about it. */
export class RequestContext {
  readonly app: App
  readonly request: Request
  peerInfo: PeerInfo
  readonly conversation: Conversation
  readonly reply: ReplyChannel
  readonly incoming: IncomingRequest
  /** The caller of this request; the next request of the session may carry other credentials. */
  readonly caller: Caller
  /** The call has reached the policies that record it, or its refusal is recorded. */
  isRecorded = false

  constructor(app: App, request: Request, parts: { conversation: Conversation; reply: ReplyChannel; incoming: IncomingRequest }) {
    this.app = app
    this.request = request
    this.conversation = parts.conversation
    this.reply = parts.reply
    this.incoming = parts.incoming
    this.caller = parts.reply.caller ?? parts.conversation.caller
    this.peerInfo = peerInfoOf(request, parts.conversation, parts.reply, parts.conversation.revisions ?? app.revisions)
  }

  /** Drops everything else that the request said, so that no large message is held for as long as the request waits. */
  keepOnly(params: JsonObject): void {
    this.request.params = params
    if (this.peerInfo !== this.conversation.peerInfo) this.peerInfo = { revision: this.revision, ...undeclared }
  }

  /** Throws if a policy forbids the caller to read from the server of the entry; returns a promise if a policy is asynchronous. */
  admitReading(entry: Parameters<App['catalog']['admitReading']>[0]): void | Promise<void> {
    const admitted = this.app.catalog.admitReading(entry, this.caller)
    if (admitted instanceof Promise) return admitted.then((end) => this.incoming.onOver(end))
    this.incoming.onOver(admitted)
  }

  get params(): JsonObject {
    return this.request.params ?? nothing
  }

  get revision(): Revision {
    return this.peerInfo.revision
  }

  /** The lowest level of log messages about this request that the client wants; undefined for none. */
  get logLevel(): LogLevel | undefined {
    if (!this.app.settings.logging) return undefined
    return this.revision.logLevelFrom === 'request' ? this.peerInfo.logLevel : this.conversation.logLevel
  }

  get meta(): JsonObject {
    return metaOf(this.request.params) ?? nothing
  }
}

const nothing: JsonObject = Object.freeze({})

/** Facts about the peer, declared by the request itself or settled earlier by a handshake. */
function peerInfoOf(request: Request, conversation: Conversation, reply: ReplyChannel, revisions: RevisionSet): PeerInfo {
  if (revisions.isPerRequest(request, reply.header?.('mcp-protocol-version'))) return declaredPeerInfo(request, reply, revisions)
  if (conversation.peerInfo) return conversation.peerInfo
  if (request.method === 'initialize' || request.method === 'ping')
    return { revision: revisions.negotiate(request.params?.protocolVersion), ...undeclared }
  const code = revisions.perRequest.length > 0 ? codes.invalidParams : codes.invalidRequest
  throw new EnvelopeError(code, `Send initialize first, or set params._meta["${metaKeys.protocolVersion}"] in each request`)
}

const undeclared = { capabilities: {}, clientInfo: undefined, logLevel: undefined }

/** Checks the version before the rest, so that a newer client always learns the supported ones. */
function declaredPeerInfo(request: Request, reply: ReplyChannel, revisions: RevisionSet): PeerInfo {
  const revision = revisions.revisionOf(request, reply.header && { value: reply.header('mcp-protocol-version') })
  if (revision.http.mirrored && reply.header) checkRoutingHeaders(request, reply.header)
  const said = request.params?._meta as JsonObject // revisionOf has found the version there
  const capabilities = said[metaKeys.clientCapabilities]
  if (!isObject(capabilities))
    throw new EnvelopeError(codes.invalidParams, `params._meta["${metaKeys.clientCapabilities}"] must be an object`)
  const clientInfo = said[metaKeys.clientInfo]
  if (clientInfo !== undefined && !isObject(clientInfo))
    throw new EnvelopeError(codes.invalidParams, `params._meta["${metaKeys.clientInfo}"] must be an object`)
  const logLevel = said[metaKeys.logLevel]
  if (logLevel !== undefined && !isLogLevel(logLevel))
    throw new EnvelopeError(codes.invalidParams, `params._meta["${metaKeys.logLevel}"] must be one of ${logLevels.join(', ')}`)
  return { revision, capabilities, clientInfo, logLevel }
}
