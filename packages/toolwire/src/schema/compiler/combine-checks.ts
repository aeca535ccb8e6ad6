// Checks made of checks: in sequence, a level deeper, in another scope, with or apart from what was evaluated around them.

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

/** A schema with schemas in it costs a step, and counts as a level. */
export function countingCheck(checks: readonly Check[]): Check {
  const check = allChecks(checks)
  return (value, run) => {
    run.descend()
    const holds = check(value, run)
    run.ascend()
    return holds
  }
}

/** Keeps the dynamic scope: a schema of another resource opens a new one. */
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

/** A value apart: what is evaluated within it is nobody else's business. */
export function isolatedCheck(check: Check): Check {
  return (value, run) => {
    const outer = run.seen
    run.seen = new EvaluatedMembers()
    const holds = check(value, run)
    run.seen = outer
    return holds
  }
}

/** The same value again: what a schema that passes has evaluated counts for the outer one. */
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
