// Names in the config and in rules that nothing has: who wrote them meant something else, and a restriction that fits nothing
// restricts nothing. What an upstream that has not been asked yet will list is not missing.
import { restful } from 'toolwire/guard'
import type { Rulebook } from 'toolwire/rules'
import { missingInServer, missingInSet } from './in-config.js'
import { missingInLabel, missingInRule, opens } from './in-rules.js'
import { argumentsOf, type Behind, Known } from './known.js'
import type { MissingName } from './sentence.js'

export type { MissingName }

export type NamedIn = {
  /** Those that are disabled as well. */
  readonly upstreams: readonly Behind[]
  readonly sets: { readonly [set: string]: readonly string[] }
  readonly rules?: Rulebook | undefined
}

export const missingNames = (named: NamedIn): readonly MissingName[] => [...lookingFor(named)].flat()

/** The same; of long lists others get their turn meanwhile. */
export async function missingNamesInTurns(named: NamedIn): Promise<readonly MissingName[]> {
  const missing: MissingName[] = []
  const rest = restful()
  for (const some of lookingFor(named)) {
    missing.push(...some)
    const pause = rest()
    if (pause) await pause
  }
  return missing
}

/** Step by step, none of which takes long. */
function* lookingFor({ upstreams, sets, rules }: NamedIn): Generator<readonly MissingName[]> {
  const known = new Known(upstreams)
  for (const { tools = [] } of upstreams) {
    for (const { inputSchema } of tools) {
      argumentsOf(inputSchema)
      yield []
    }
  }
  for (const upstream of upstreams) yield missingInServer(upstream)
  for (const [set, names] of Object.entries(sets)) yield missingInSet(set, names, known)
  for (const [at, rule] of (rules?.set.rules ?? []).entries())
    if (!rule.optional) yield missingInRule(rule, opens(rules, at), known)
  for (const label of rules?.set.labels ?? []) if (!label.optional) yield missingInLabel(label, known)
}

/** Why the tools of servers are kept back, by their ids. */
export function heldBack(missing: readonly MissingName[]): ReadonlyMap<string, string> {
  const held = new Map<string, string>()
  for (const { holds, message } of missing) for (const id of holds) if (!held.has(id)) held.set(id, message)
  return held
}
