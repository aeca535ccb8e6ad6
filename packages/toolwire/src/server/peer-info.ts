// What a request and its server know of each other: said by the request itself, or settled earlier by a handshake.
import { isObject, type JsonObject } from '../json.js'
import { codes } from '../jsonrpc/error.js'
import type { Request } from '../jsonrpc/message.js'
import type { Conversation, PeerInfo } from '../peer/conversation.js'
import type { ReplyChannel } from '../peer/reply-channel.js'
import { EnvelopeError } from '../revisions/envelope-error.js'
import { metaKeys } from '../revisions/meta-keys.js'
import { checkRoutingHeaders } from '../revisions/param-headers/check-headers.js'
import type { RevisionSet } from '../revisions/revision-set.js'
import { isLogLevel, logLevels } from '../tools/context.js'

export function peerInfoOf(request: Request, conversation: Conversation, line: ReplyChannel, editions: RevisionSet): PeerInfo {
  if (editions.isPerRequest(request, line.header?.('mcp-protocol-version'))) return declaredPeerInfo(request, line, editions)
  if (conversation.peerInfo) return conversation.peerInfo
  if (request.method === 'initialize' || request.method === 'ping')
    return { revision: editions.negotiate(request.params?.protocolVersion), ...nothing }
  const code = editions.perRequest.length > 0 ? codes.invalidParams : codes.invalidRequest
  throw new EnvelopeError(code, `Send initialize first, or say params._meta["${metaKeys.protocolVersion}"] with each request`)
}

const nothing = { capabilities: {}, clientInfo: undefined, logLevel: undefined }

/** Order: the version before the rest, so that a newer client always learns what we speak. */
function declaredPeerInfo(request: Request, line: ReplyChannel, editions: RevisionSet): PeerInfo {
  const revision = editions.revisionOf(request, line.header && { value: line.header('mcp-protocol-version') })
  if (revision.http.mirrored && line.header) checkRoutingHeaders(request, line.header)
  const said = request.params?._meta as JsonObject // spokenBy has found the version there
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
