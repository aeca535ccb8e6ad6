import { isDeepStrictEqual } from 'node:util'
import type { JsonObject } from 'toolwire'
import { inFile, parseDocument } from '../../config/documents/read-document.js'
import { setInJson } from '../../config/editing/edit-json.js'
import { type ImportResult, serverIdOf } from '../../config/index.js'
import { findServers } from '../../config/servers/find-servers.js'
import { isObject } from '../../json/is-object.js'
import { usageProblem } from '../command-error.js'

/** What an mcp.json says once the servers that were found are in it. What stands there already stays. */
type MergeResult = { readonly text: string; readonly added: readonly string[]; readonly kept: readonly string[] }

export function mergeServers(before: string | undefined, found: ImportResult, target: string): MergeResult {
  if (/\.toml$/i.test(target)) throw usageProblem(`${target} is TOML, and import writes JSON. Name an mcp.json with --config`)
  return inFile(target, () => {
    const value = before === undefined || before.trim() === '' ? {} : parseDocument(target, before)().value
    const known = new Set(findServers(value).map(({ name, at }) => serverIdOf(name, at)))
    const fresh = found.servers.filter(({ id }) => !known.has(id))
    const key = isObject(value.servers) && !isObject(value.mcpServers) ? 'servers' : 'mcpServers'
    const withServers = fresh.reduce((text, { id, entry }) => setInJson(text, [key, id], entry), before ?? '')
    const text = fresh.length > 0 ? withInputs(withServers, value, found.inputs) : withServers
    return { text, added: fresh.map(({ id }) => id), kept: found.servers.map(({ id }) => id).filter((id) => known.has(id)) }
  })
}

/** The questions of VS Code that its servers refer to. */
function withInputs(text: string, value: JsonObject, inputs: ImportResult['inputs']): string {
  const there = Array.isArray(value.inputs) ? value.inputs : []
  const fresh = inputs.filter((input) => !there.some((other) => isDeepStrictEqual(other, input)))
  return fresh.length === 0 ? text : setInJson(text, ['inputs'], [...there, ...fresh])
}
