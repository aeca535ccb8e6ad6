// Finds names in the config and in rules that nothing has, and rules that never decide. Their authors meant something else, and a
// restriction that matches nothing restricts nothing. Names on upstreams that have not listed their tools yet do not count as missing.
import { type ruleParts, yieldWhenBusy } from 'toolwire/relay'
import type { Rulebook } from 'toolwire/rules'
import { namedTools } from '../names/named-tools.js'
import { missingInServer, missingInSet } from './in-config.js'
import { loosensCalls, missingInLabel, missingInRedact, missingInRule, unreachedRules } from './in-rules.js'
import { argumentsOf, knownTools, type ListedServer } from './known-tools.js'
import type { MissingName } from './missing-name.js'

export type { MissingName }

export type NameSources = {
  /** Includes disabled upstreams. */
  readonly upstreams: readonly ListedServer[]
  readonly sets: { readonly [set: string]: readonly string[] }
  readonly rules?: Rulebook | undefined
}

export const missingNames = (named: NameSources): readonly MissingName[] => [...lookingFor(named)].flat()

/** Finds missing names, and yields to other work during long lists. */
export async function missingNamesInTurns(named: NameSources): Promise<readonly MissingName[]> {
  const missing: MissingName[] = []
  const rest = yieldWhenBusy()
  for (const some of lookingFor(named)) {
    missing.push(...some)
    const pause = rest()
    if (pause) await pause
  }
  return missing
}

/** Small steps, so that the caller can yield between them. */
function* lookingFor({ upstreams, sets, rules }: NameSources): Generator<readonly MissingName[]> {
  const named: ruleParts.NamedTool[] = []
  for (const upstream of upstreams) {
    for (const tool of namedTools(upstream)) {
      named.push(tool)
      yield []
    }
  }
  const known = knownTools(upstreams, named)
  for (const { tools = [] } of upstreams) {
    for (const { inputSchema } of tools) {
      argumentsOf(inputSchema)
      yield []
    }
  }
  for (const upstream of upstreams) yield missingInServer(upstream)
  for (const [set, names] of Object.entries(sets)) yield missingInSet(set, names, known)
  for (const [at, rule] of (rules?.set.rules ?? []).entries())
    if (!rule.optional) yield missingInRule({ rule, restricting: loosensCalls(rules, at) }, known)
  if (rules) yield unreachedRules(rules)
  yield missingInRedact(rules?.set.redact ?? [], known)
  for (const label of rules?.set.labels ?? []) if (!label.optional) yield missingInLabel(label, known)
}

/** The reasons why tools of servers are withheld, by the server's id. */
export function withheldServers(missing: readonly MissingName[]): ReadonlyMap<string, string> {
  const held = new Map<string, string>()
  for (const { holds, message } of missing) for (const id of holds) if (!held.has(id)) held.set(id, message)
  return held
}
