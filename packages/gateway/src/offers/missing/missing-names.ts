// Names in the config and in rules that nothing has: who wrote them meant something else, and a restriction that fits nothing
// restricts nothing. What an upstream that has not been asked yet will list is not missing.
import type { Rulebook } from 'toolwire/rules'
import { missingInServer, missingInSet } from './in-config.js'
import { missingInLabel, missingInRule, opens } from './in-rules.js'
import { type Behind, Known } from './known.js'
import type { MissingName } from './sentence.js'

export type { MissingName }

export type NamedIn = {
  /** Those that are disabled as well. */
  readonly upstreams: readonly Behind[]
  readonly sets: { readonly [set: string]: readonly string[] }
  readonly rules?: Rulebook | undefined
}

export function missingNames({ upstreams, sets, rules }: NamedIn): readonly MissingName[] {
  const known = new Known(upstreams)
  return [
    ...upstreams.flatMap(missingInServer),
    ...Object.entries(sets).flatMap(([set, names]) => missingInSet(set, names, known)),
    ...(rules?.set.rules ?? []).flatMap((rule, at) => (rule.optional ? [] : missingInRule(rule, opens(rules, at), known))),
    ...(rules?.set.labels ?? []).flatMap((label) => (label.optional ? [] : missingInLabel(label, known))),
  ]
}

/** Why the tools of servers are kept back, by their ids. */
export function heldBack(missing: readonly MissingName[]): ReadonlyMap<string, string> {
  const held = new Map<string, string>()
  for (const { holds, message } of missing) for (const id of holds) if (!held.has(id)) held.set(id, message)
  return held
}
