// Combines checks: in sequence, with a count of steps and depth, with the dynamic scope, and with tracking of evaluated members.

import { EvaluatedMembers } from './evaluated-members.js'
import type { DynamicScope, SchemaResource } from './schema-resource.js'
import type { Check } from './validation-run.js'

export function allChecks(checks: readonly Check[]): Check {
  if (checks.length === 1) return checks[0]!
  return (value, run) => {
    let holds = true
    for (let index = 0; index < checks.length; index++) {
      if (checks[index]!(value, run)) continue
      holds = false
      if (run.decided) break
    }
    return holds
  }
}

/** For a schema with subschemas, which costs a step and counts as a level. */
export function countingCheck(checks: readonly Check[]): Check {
  const check = allChecks(checks)
  return (value, run) => {
    run.descend()
    const holds = check(value, run)
    run.ascend()
    return holds
  }
}

/** Maintains the dynamic scope: a schema of another resource opens a new scope. */
export function scopedCheck(resource: SchemaResource, check: Check): Check {
  return (value, run) => {
    const outer: DynamicScope | undefined = run.scope
    if (outer?.resource === resource) return check(value, run)
    run.scope = { resource, outer }
    const holds = check(value, run)
    run.scope = outer
    return holds
  }
}

/** Tracks the evaluated members apart from those of the surrounding schema. */
export function isolatedCheck(check: Check): Check {
  return (value, run) => {
    const outer = run.seen
    run.seen = new EvaluatedMembers()
    const holds = check(value, run)
    run.seen = outer
    return holds
  }
}

/** For another schema of the same value: if it passes, its evaluated members count for the outer schema too. */
export function mergingCheck(check: Check): Check {
  return (value, run) => {
    const outer = run.seen
    const own = new EvaluatedMembers()
    run.seen = own
    const holds = check(value, run)
    run.seen = outer
    run.spend(1 + own.size)
    if (holds) outer?.merge(own)
    return holds
  }
}
