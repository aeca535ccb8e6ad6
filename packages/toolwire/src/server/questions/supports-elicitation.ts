// The kinds of questions that a client can be asked. A relay declares them with each call, so they are computed once for each
// set of kinds.
import type { PeerInfo } from '../../peer/conversation.js'
import type { SupportedQuestions } from '../../tools/context.js'
import { missingCapabilities } from './elicitor.js'

const modest = { messages: [], maxTokens: 1 }
const nothing: SupportedQuestions = Object.freeze({ form: false, page: false, model: false, roots: false })
const known = new Map([[bitsOf(nothing), nothing]])

export function supportsElicitation({ capabilities, revision }: PeerInfo): SupportedQuestions {
  if (!hasAny(capabilities)) return nothing
  const can = (ask: Parameters<typeof missingCapabilities>[0]) => missingCapabilities(ask, capabilities, revision) === undefined
  const found = {
    form: can({ kind: 'form' }),
    page: can({ kind: 'url' }),
    model: can({ kind: 'model', request: modest }),
    roots: can({ kind: 'roots' }),
  }
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
