// The kinds of questions that a client can be asked. A relay declares them with each call, so they are computed once for each set of kinds.
import type { PeerInfo } from '../../peer/conversation.js'
import type { Ask } from '../../tools/ask.js'
import type { SupportedQuestions } from '../../tools/context.js'
import { missingCapabilities } from './elicitor.js'

const nothing: SupportedQuestions = Object.freeze({ form: false, page: false, model: false, roots: false })
const known = new Map([[bitsOf(nothing), nothing]])

export function supportsElicitation(peer: PeerInfo): SupportedQuestions {
  if (!hasAny(peer.capabilities)) return nothing
  const can = (kind: Ask['kind']) => missingCapabilities(kind, peer) === undefined
  const found = { form: can('form'), page: can('url'), model: can('model'), roots: can('roots') }
  const bits = bitsOf(found)
  const same = known.get(bits) ?? Object.freeze(found)
  known.set(bits, same)
  return same
}

function bitsOf({ form, page, model, roots }: SupportedQuestions): number {
  return (form ? 1 : 0) + (page ? 2 : 0) + (model ? 4 : 0) + (roots ? 8 : 0)
}

function hasAny(capabilities: object): boolean {
  for (const _ in capabilities) return true
  return false
}
