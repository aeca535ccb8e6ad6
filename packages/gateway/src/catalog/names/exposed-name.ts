// Names for callers: `server__tool` if that is unambiguous, otherwise with a digest of both names at the end.
import { hash } from 'node:crypto'
import { scan } from 'toolwire/guard'

const longest = 64
const digestLength = 24
const endsLikeDigest = /_[0-9a-f]{24}$/
const plainName = /^[A-Za-z0-9_.-]+$/
const toolName = /^[A-Za-z0-9_.-]{1,128}$/

/**
 * Does every revision and every client accept the name? https://modelcontextprotocol.io/specification/2026-07-28/server/tools#tool-names
 */
export const isToolName = (name: string): boolean => toolName.test(name)

const longestOwn = 1_024
const control = /[\p{Cc}\p{Zl}\p{Zp}]/u

/** The reason that no name for callers can be made, or undefined. Names that only older revisions allow can be converted. */
export function unnameableReason(own: string): string | undefined {
  if (isToolName(own)) return undefined
  if (own === '') return 'its name is empty'
  if (own.length > longestOwn) return `its name is longer than ${longestOwn} characters`
  const isHidden = control.test(own) || scan({ name: own }).some(({ kind }) => kind === 'hidden')
  return isHidden ? 'its name contains hidden characters' : undefined
}

/** The name under which a tool of a server is offered. It is unique, and depends only on the two names. */
export function exposedName(prefix: string | false, name: string): string {
  if (prefix === false) return isToolName(name) ? name : marked(name, [name])
  return exact(prefix, name) ?? marked(`${prefix}__${name}`, [prefix, name])
}

/** The plain name, if it is unambiguous: the first `__` separates the prefix, and the end does not look like a digest. */
function exact(prefix: string, name: string): string | undefined {
  const exposed = `${prefix}__${name}`
  const divides = prefix !== '' && name !== '' && !prefix.includes('__') && !prefix.endsWith('_')
  return divides && exposed.length <= longest && plainName.test(exposed) && !endsLikeDigest.test(exposed) ? exposed : undefined
}

function marked(text: string, names: readonly string[]): string {
  // Only the beginning is shown, and a character takes at most two units. The text may have megabytes.
  const readable = text
    .slice(0, 2 * longest)
    .replaceAll(/[^A-Za-z0-9_.-]/gu, '_')
    .slice(0, longest - digestLength - 1)
  return `${readable}_${digestOf(names)}`
}

/** JSON keeps the names apart, so that no two pairs of names give the same text. */
const digestOf = (names: readonly string[]): string => hash('sha256', JSON.stringify(names)).slice(0, digestLength)
