import type { CheckTarget } from './check-options.js'

/** What the words on a command line name: an address, or a program with its arguments. */
export function parseTarget(words: readonly string[], headers: Readonly<Record<string, string>>): CheckTarget {
  const [first = '', ...args] = words
  if (/^https?:\/\//i.test(first)) return { url: first, headers }
  return { command: first, args }
}
