// Names for a model. A tool's own name may hold anything and may be taken twice; the providers want one of at most 64 plain
// characters. https://modelcontextprotocol.io/specification/2026-07-28/server/tools#tool-names
import { sha256 } from '../policy/hash/hashing.js'

/** A tool by the name this side has for its server, never the name a server gives itself; '' leaves the prefix out. */
export type QualifiedName = { readonly server: string; readonly name: string }

const longest = 64
/** How much of the digest is shown: as little as keeps all aliases apart. */
const digestLengths = [12, 24, 48] as const
const endsLikeDigest = /_(?:[0-9a-f]{12}|[0-9a-f]{24}|[0-9a-f]{48})$/
const plain = /^[A-Za-z_][A-Za-z0-9_-]*$/

/**
 * An alias for each tool, `server__tool` where that is possible and unmistakable, else with a digest of both names at its end.
 * Equal tools have equal aliases and different tools different ones, in any order.
 */
export function aliasesFor(entries: readonly QualifiedName[]): string[] {
  const unprefixed = entries.every(({ server }) => server === '')
  const tools = new Map(entries.map((entry) => [keyOf(entry), entry]))
  const aliases = new Map<string, string>()
  let open = [...tools]
  for (const length of digestLengths) {
    for (const [key, entry] of open)
      aliases.set(key, plainAlias(entry, unprefixed) ?? digestAlias(entry, sha256(key).slice(0, length)))
    open = ambiguousTools(open, aliases)
    if (open.length === 0) return entries.map((entry) => aliases.get(keyOf(entry))!)
  }
  throw new Error('Two tools cannot be told apart: their names have the same digest')
}

/** Escaped, so that no two pairs of names give the same text. */
const keyOf = ({ server, name }: QualifiedName): string => JSON.stringify([server, name])

/** Both names as they are. The first `__` must be ours, and the end must not look like a digest: then no two can be the same. */
function plainAlias({ server, name }: QualifiedName, unprefixed: boolean): string | undefined {
  const alias = server === '' ? name : `${server}__${name}`
  const divided = server === '' ? unprefixed || !name.includes('__') : !server.includes('__') && !server.endsWith('_')
  if (!divided || name === '' || alias.length > longest || !plain.test(alias) || endsLikeDigest.test(alias)) return undefined
  return alias
}

function digestAlias({ server, name }: QualifiedName, digest: string): string {
  const text = `${server === '' ? '' : `${server}__`}${name}`.replaceAll(/[^A-Za-z0-9_-]/gu, '_')
  const readable = /^[A-Za-z_]/.test(text) ? text : `_${text}`
  return `${readable.slice(0, longest - digest.length - 1)}_${digest}`
}

function ambiguousTools(tools: readonly [string, QualifiedName][], aliases: ReadonlyMap<string, string>) {
  const owners = new Map<string, number>()
  for (const alias of aliases.values()) owners.set(alias, (owners.get(alias) ?? 0) + 1)
  return tools.filter(([key]) => owners.get(aliases.get(key)!)! > 1)
}
