import { nearest } from '../schema/nearest.js'

const most = 3

/** Which tools a model may have meant by a name that none has: those it is the end or the beginning of, or a slip away from. */
export function nearNames(name: string, aliases: readonly string[]): string[] {
  const bare = afterPrefix(name)
  const same = aliases.filter((alias) => bare !== '' && (alias.endsWith(bare) || name.endsWith(afterPrefix(alias))))
  const slip = nearest(bare, aliases.map(afterPrefix))
  const close = [nearest(name, aliases), aliases.find((alias) => afterPrefix(alias) === slip)]
  return [...new Set([...same, ...close.filter((alias) => alias !== undefined)])].slice(0, most)
}

const afterPrefix = (alias: string) => alias.slice(alias.indexOf('__') + (alias.includes('__') ? 2 : 1))
