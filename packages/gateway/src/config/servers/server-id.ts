import { problem } from '../config-error.js'

const longest = 32

/**
 * The id of a server: its name in lower case without accents. Each run of characters other than a-z, 0-9 and _ becomes a hyphen, runs of
 * underscores become one, and both are trimmed from the ends. `My Files (work)` becomes `my-files-work`.
 */
export function serverIdOf(name: string, at: string): string {
  const id = folded(name)
  if (id === '') throw problem(at, 'this name gives no id; use a name with at least one letter from a to z, or a digit')
  if (id.length > longest) throw problem(at, `the id of this server is longer than ${longest} characters; choose a shorter name`)
  return id
}

const folded = (name: string): string =>
  name
    .slice(0, 1_000)
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    .toLowerCase()
    .replace(/[^a-z0-9_]+/g, '-')
    .replace(/_{2,}/g, '_')
    .replace(/^[-_]+|[-_]+$/g, '')
