import { canonicalJson, type JsonObject } from '../../json.js'
import type { ListedTool, ReadyTool } from '../../tools/tool.js'
import { sha256 } from './hashing.js'

const known = new WeakMap<ListedTool, string>()

/**
 * SHA-256 over the canonical form of everything a server says about a tool. Computed once for each definition that was read.
 *
 * @example
 * ```ts
 * const isSame = (a: ReadyTool, b: ReadyTool) => definitionHash(a) === definitionHash(b)
 * ```
 */
export function definitionHash(tool: Pick<ReadyTool, 'listed'>): string {
  const { listed } = tool
  const hash = known.get(listed)
  if (hash !== undefined) return hash
  const computed = `sha256:${sha256(canonicalJson(definitionOf(tool)))}`
  known.set(listed, computed)
  return computed
}

/** The definition as JSON. Its type only adds restrictions, such as read-only lists. */
export const definitionOf = ({ listed }: Pick<ReadyTool, 'listed'>): JsonObject => listed as object as JsonObject
