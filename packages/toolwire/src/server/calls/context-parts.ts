import type { JsonObject } from '../../json.js'
import type { Conversation, PeerInfo } from '../../peer/conversation.js'
import type { IncomingRequest } from '../../peer/incoming-request.js'
import type { Caller } from '../../tools/caller.js'
import type { LogLevel, ResumedRound } from '../../tools/context.js'
import type { Elicitor } from '../questions/elicitor.js'

/** What a context is made of. */
export type ContextParts = {
  readonly caller: Caller
  readonly peer: Conversation
  readonly meta: JsonObject
  readonly terms: PeerInfo
  readonly flight: IncomingRequest
  readonly send: (message: string) => void
  /** `_meta` of every message about the call. */
  readonly about?: JsonObject
  readonly logLevel: () => LogLevel | undefined
  readonly asker: () => Elicitor
  readonly resumed: ResumedRound | undefined
  readonly patient?: boolean
  readonly continued?: boolean
  /** Answers to the declared questions, where they were given before. */
  readonly answers?: Readonly<Record<string, unknown>>
  readonly hangUp?: ((retryMs: number) => void) | undefined
  readonly promoteToTask?: (() => void) | undefined
}
