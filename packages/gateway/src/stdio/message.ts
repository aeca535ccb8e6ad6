import type { JsonObject } from 'toolwire'
import { JsonError, parseJson } from 'toolwire/relay'
import { isObject } from '../json/is-object.js'

/** A message from a line; its members are not validated. */
export type HostMessage = JsonObject

export const keyOf = ({ id = null }: HostMessage): string => JSON.stringify(id)

export const isRequest = ({ id, method }: HostMessage): boolean => id !== undefined && method !== undefined

export const isResponse = ({ id, method }: HostMessage): boolean => id !== undefined && method === undefined

export const paramsOf = ({ params }: HostMessage): JsonObject => (isObject(params) ? params : {})

/**
 * The line with its messages replaced or dropped; the same bytes if nothing changes. An invalid line passes unchanged, because
 * the other side reports it.
 */
export function mapLine(line: Buffer, change: (message: HostMessage) => HostMessage | undefined): Buffer | string | undefined {
  const value = parsed(line)
  const before = [value].flat().filter(isObject)
  const after = before.map(change)
  if (after.every((message, at) => message === before[at])) return line
  const left = after.filter((message) => message !== undefined)
  if (left.length === 0) return undefined
  return `${JSON.stringify(Array.isArray(value) ? left : left[0])}\n`
}

/** The length of a line is limited already, so these limits are wide. */
const wide = { members: 1_000_000, elements: 4_000_000, containers: 2_000_000 }

function parsed(line: Buffer): JsonObject[string] | undefined {
  try {
    return parseJson(line, wide)
  } catch (thrown) {
    if (!(thrown instanceof JsonError)) throw thrown
    return undefined
  }
}
