import { isDeepStrictEqual } from 'node:util'
import type { ConfigText } from '../../config/editing/config-text.js'
import { type ImportResult, serverIdOf } from '../../config/index.js'
import { isObject } from '../../json/is-object.js'
import { usageProblem } from '../command.js'

/** Adds servers to an mcp.json, and returns the added ones. Existing servers stay unchanged. */
export function mergeServers(config: ConfigText, { servers: found, inputs: asked }: Pick<ImportResult, 'servers' | 'inputs'>) {
  if (/\.toml$/i.test(config.path))
    throw usageProblem(`${config.path} is TOML, and import writes JSON. Name an mcp.json with --config`)
  const known = new Set(config.servers.map(({ name, at }) => serverIdOf(name, at)))
  const fresh = found.filter(({ id }) => !known.has(id))
  const { servers, mcpServers, inputs } = config.value
  const key = isObject(servers) && !isObject(mcpServers) ? 'servers' : 'mcpServers'
  for (const { id, entry } of fresh) config.set([key, id], entry)
  // The prompts of VS Code that the servers refer to.
  const there = Array.isArray(inputs) ? inputs : []
  const more = asked.filter((input) => !there.some((other) => isDeepStrictEqual(other, input)))
  if (fresh.length > 0 && more.length > 0) config.set(['inputs'], [...there, ...more])
  return { added: fresh, kept: found.map(({ id }) => id).filter((id) => known.has(id)) }
}
