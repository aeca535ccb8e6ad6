import type { JsonObject } from 'toolwire'
import { stringIn } from '../json-members.js'

const grantMark = 'grant:'

/** Why a call was allowed without a question; undefined if its record does not say. */
export function groundText(call: JsonObject): string | undefined {
  const ground = stringIn(call, 'ground')
  if (ground === 'claim') return 'unverified claim'
  return ground?.startsWith(grantMark) ? `standing approval ${ground.slice(grantMark.length)}` : undefined
}
