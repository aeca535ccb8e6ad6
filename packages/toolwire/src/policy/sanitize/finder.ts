import { activeContentKinds } from '../../text/active-content.js'
import { instructionKinds } from '../../text/instructions/detector.js'
import { type PassageFinder, type PassageSearch, passageFinder } from '../../text/search/passages.js'
import { serviceSecrets } from '../../text/secrets/service-secrets.js'
import { valueSecrets } from '../../text/secrets/value-secrets.js'
import { findCustomSecrets, type SecretKind } from './custom-secrets.js'
import type { SanitizeRules } from './sanitize-rules.js'

const searches: readonly PassageSearch[] = [
  // If two kinds of secrets match in one place, the finding names the first.
  { rule: 'secrets', kinds: [...serviceSecrets, ...valueSecrets] },
  { rule: 'active', kinds: activeContentKinds },
  { rule: 'instructions', kinds: instructionKinds },
]

const made = new Map<string, PassageFinder>()

/** One search for all the rules that are on. */
export function passageFinderFor(rules: SanitizeRules, own: readonly SecretKind[]): PassageFinder {
  const on = searches.filter(({ rule }) => rules[rule] !== 'off')
  const known = finderOf(on)
  const theirs = findCustomSecrets(own)
  if (own.length === 0 || rules.secrets === 'off') return known
  return {
    *find(text) {
      const found = yield* known.find(text)
      return [...found, ...(yield* theirs(text))].sort((one, other) => one.start - other.start)
    },
    none: () => false,
  }
}

/** The tables are the same for every policy, so each combination of them is made once. */
function finderOf(on: readonly PassageSearch[]): PassageFinder {
  const names = on.map(({ rule }) => rule).join()
  const finder = made.get(names) ?? passageFinder(on)
  made.set(names, finder)
  return finder
}
