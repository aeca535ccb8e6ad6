// Tool names for models. A tool's own name may contain anything and exist twice, but providers want at most 64 plain characters.
// https://modelcontextprotocol.io/specification/2026-07-28/server/tools#tool-names
import { sha256 } from '../policy/hash/hashing.js'

/** A tool, with this side's name for its server, never the name that a server gives itself; '' leaves the prefix out. */
export type QualifiedName = { readonly server: string; readonly name: string }

const longest = 64
/** Lengths of the digest in an alias. The shortest one that keeps all aliases apart is used. */
const digestLengths = [12, 24, 48] as const
const endsLikeDigest = /_(?:[0-9a-f]{12}|[0-9a-f]{24}|[0-9a-f]{48})$/
const plain = /^[A-Za-z_][A-Za-z0-9_-]*$/

/**
 * Returns an alias for each tool: `server__tool` if that is valid and unambiguous, else with a digest of both names at its end. Equal
 * tools have equal aliases and different tools different ones, in any order.
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

/** Joins both names unchanged. The first `__` must be the separator, and the end must not look like a digest: aliases stay unique. */
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
