import type { JsonObject } from '../json.js'
import type { Request } from '../jsonrpc/message.js'
import type { Conversation, PeerInfo } from '../peer/conversation.js'
import type { IncomingRequest } from '../peer/incoming-request.js'
import type { ReplyChannel } from '../peer/reply-channel.js'
import { metaOf } from '../revisions/meta-keys.js'
import type { Revision } from '../revisions/revision.js'
import type { Caller } from '../tools/caller.js'
import type { LogLevel } from '../tools/context.js'
import type { App } from './app.js'

/** One request on its way to an answer: what was asked, by whom, in which edition, and how to reach them meanwhile. */
export class RequestContext {
  readonly app: App
  readonly request: Request
  readonly terms: PeerInfo
  readonly conversation: Conversation
  readonly line: ReplyChannel
  readonly flight: IncomingRequest
  /** Who sent this very request: a session may show other credentials with its next one. */
  readonly caller: Caller

  constructor(
    app: App,
    request: Request,
    parts: { terms: PeerInfo; conversation: Conversation; line: ReplyChannel; flight: IncomingRequest },
  ) {
    this.app = app
    this.request = request
    this.terms = parts.terms
    this.conversation = parts.conversation
    this.line = parts.line
    this.flight = parts.flight
    this.caller = parts.conversation.caller
  }

  get params(): JsonObject {
    return this.request.params ?? nothing
  }

  get revision(): Revision {
    return this.terms.revision
  }

  /** From which level up the client wants to hear logs of this request; from none where logs were not declared. */
  get logLevel(): LogLevel | undefined {
    if (!this.app.settings.logging) return undefined
    return this.revision.logLevelFrom === 'request' ? this.terms.logLevel : this.conversation.logLevel
  }

  /** The request's `_meta`. */
  get meta(): JsonObject {
    return metaOf(this.request.params) ?? nothing
  }
}

const nothing: JsonObject = Object.freeze({})
