// What a request and its server know of each other: said by the request itself, or settled earlier by a handshake.
import { isObject, type JsonObject } from '../json.js'
import { codes } from '../jsonrpc/error.js'
import type { Request } from '../jsonrpc/message.js'
import type { Conversation, Terms } from '../peer/conversation.js'
import type { Line } from '../peer/line.js'
import type { Editions } from '../revisions/editions.js'
import { EnvelopeError } from '../revisions/envelope-error.js'
import { meta } from '../revisions/meta.js'
import { checkMirrored } from '../revisions/mirrored.js'
import { isLogLevel, logLevels } from '../tools/context.js'

export function termsOf(request: Request, conversation: Conversation, line: Line, editions: Editions): Terms {
  if (editions.describesItself(request, line.header?.('mcp-protocol-version'))) return declared(request, line, editions)
  if (conversation.terms) return conversation.terms
  if (request.method === 'initialize' || request.method === 'ping')
    return { revision: editions.settle(request.params?.protocolVersion), ...nothing }
  const code = editions.perRequest.length > 0 ? codes.invalidParams : codes.invalidRequest
  throw new EnvelopeError(code, `Send initialize first, or say params._meta["${meta.protocolVersion}"] with each request`)
}

const nothing = { capabilities: {}, clientInfo: undefined, logLevel: undefined }

/** Order: the version before the rest, so that a newer client always learns what we speak. */
function declared(request: Request, line: Line, editions: Editions): Terms {
  const revision = editions.spokenBy(request, line.header && { value: line.header('mcp-protocol-version') })
  if (revision.http.mirrored && line.header) checkMirrored(request, line.header)
  const said = request.params?._meta as JsonObject // spokenBy has found the version there
  const capabilities = said[meta.clientCapabilities]
  if (!isObject(capabilities))
    throw new EnvelopeError(codes.invalidParams, `params._meta["${meta.clientCapabilities}"] must be an object`)
  const clientInfo = said[meta.clientInfo]
  if (clientInfo !== undefined && !isObject(clientInfo))
    throw new EnvelopeError(codes.invalidParams, `params._meta["${meta.clientInfo}"] must be an object`)
  const logLevel = said[meta.logLevel]
  if (logLevel !== undefined && !isLogLevel(logLevel))
    throw new EnvelopeError(codes.invalidParams, `params._meta["${meta.logLevel}"] must be one of ${logLevels.join(', ')}`)
  return { revision, capabilities, clientInfo, logLevel }
}
