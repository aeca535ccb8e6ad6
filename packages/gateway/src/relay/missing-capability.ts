import { type Json, RpcError } from 'toolwire'
import type { types } from 'toolwire/relay'
import { isObject } from '../common/json.js'

/** spec 2026-07-28, basic/index#error-codes */
const missingCapability = -32021

/** Why the upstream would not begin, where that is what its caller cannot be asked, in the words of the caller's edition. */
export function missingCapabilityError(why: unknown, ask: types.AskFunction): Error | undefined {
  if (!(why instanceof RpcError) || why.code !== missingCapability) return undefined
  const data = why.data as Json | undefined // it came as JSON
  const required = isObject(data) && isObject(data.requiredCapabilities) ? data.requiredCapabilities : {}
  if (required.sampling !== undefined) return ask.lacks('model')
  if (required.roots !== undefined) return ask.lacks('roots')
  if (required.elicitation === undefined) return undefined
  const pages = isObject(required.elicitation) && required.elicitation.url !== undefined
  return ask.lacks(pages ? 'url' : 'form')
}
