import { canonicalJson, type JsonObject } from '../json.js'
import type { ListedTool, ReadyTool } from '../tools/tool.js'

const known = new WeakMap<ListedTool, Promise<string>>()

/** SHA-256 over the canonical form of everything a server says about a tool. Computed once for each definition that was read. */
export function definitionHash(tool: ReadyTool): Promise<string> {
  const { listed } = tool
  const hash = known.get(listed) ?? sha256(canonicalJson(definitionOf(tool)))
  known.set(listed, hash)
  return hash
}

/** The definition as JSON, which it is: its type only says more, such as that lists are for reading. */
export const definitionOf = ({ listed }: ReadyTool): JsonObject => listed as object as JsonObject

async function sha256(text: string): Promise<string> {
  return `sha256:${hex(await crypto.subtle.digest('SHA-256', new TextEncoder().encode(text)))}`
}

export const hex = (bytes: ArrayBuffer): string =>
  Array.from(new Uint8Array(bytes), (byte) => byte.toString(16).padStart(2, '0')).join('')
