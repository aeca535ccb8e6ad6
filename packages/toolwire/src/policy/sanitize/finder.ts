import { activeKinds } from './active.js'
import { instructionKinds } from './instructions.js'
import { ownSecrets, type SecretKind } from './own-secrets.js'
import { type Find, passageFinder, type Search } from './passages.js'
import type { Rules } from './rules.js'
import { secretKinds } from './secrets.js'

const searches: readonly Search[] = [
  { rule: 'secrets', kinds: secretKinds },
  { rule: 'active', kinds: activeKinds },
  { rule: 'instructions', kinds: instructionKinds },
]

const made = new Map<string, Find>()

/** One search for all the rules that are on. */
export function finderFor(rules: Rules, own: readonly SecretKind[]): Find {
  const on = searches.filter(({ rule }) => rules[rule] !== 'off')
  if (on.length === 0) return () => []
  const known = finderOf(on)
  const theirs = ownSecrets(own)
  if (own.length === 0 || rules.secrets === 'off') return known
  return (text) => [...known(text), ...theirs(text)].sort((one, other) => one.start - other.start)
}

/** The tables are the same for every policy, so each combination of them is made once. */
function finderOf(on: readonly Search[]): Find {
  const names = on.map(({ rule }) => rule).join()
  const find = made.get(names) ?? passageFinder(on)
  made.set(names, find)
  return find
}
