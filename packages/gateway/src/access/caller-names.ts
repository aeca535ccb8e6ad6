import type { Caller } from 'toolwire'
import { plainText } from 'toolwire/relay'
import { localCaller } from './local-callers.js'

/** Followed by the id of a console session, the name of that session as a caller. */
export const sessionPrefix = 'console:'

/** The holder of the operator's key, or of the token in the data directory. */
export const operator: Caller = { id: 'operator', scopes: ['*'] }

/** Names that only the gateway assigns, as people read them. With such a name, a key or token could pass for another caller. */
const reserved: ReadonlySet<string> = new Set(
  [localCaller.id, operator.id, 'webhook', 'toolwire', 'anonymous'].map(plainText.comparableName),
)
/** `console:`, with letters and a colon that look like it. */
const sessionLike = /^c[o0]ns[o0][l1i]e ?[^\p{L}\p{N} ._@/+-]/u

const isReserved = (id: string): boolean =>
  reserved.has(plainText.comparableName(id)) || sessionLike.test(plainText.foldText(id).text)

/** The reason why no key or token may have this name; undefined if it may. */
export function callerNameFault(id: string): string | undefined {
  if (id !== id.trim() || plainText.visibleLine(id) !== id) return 'has hidden characters, or blanks at an end'
  return isReserved(id) ? 'is reserved by the gateway' : undefined
}
