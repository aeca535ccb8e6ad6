import type { Json } from '../../json.js'
import { allChecks } from '../compiler/combine-checks.js'
import type { Check, IssueDraft, ValidationRun } from '../compiler/validation-run.js'
import { keyword } from '../dialects/keyword.js'
import { schema, schemas } from '../dialects/shapes.js'

export const allOf = keyword('allOf', schemas, (parts, site): Check => {
  const all = allChecks(parts.map((part) => site.inPlace(part)))
  return (value, run) => {
    run.spend(parts.length)
    return all(value, run)
  }
})

export const anyOf = keyword('anyOf', schemas, (branches, site): Check => {
  const checks = branches.map((branch) => site.inPlace(branch))
  return (value, run) => {
    // Where someone asks what was evaluated, every branch that passes has a say.
    const passed = site.tracks ? countPassing(checks, value, run) : Number(somePasses(checks, value, run))
    return passed > 0 || tellClosest('anyOf', checks, value, run)
  }
})

export const oneOf = keyword('oneOf', schemas, (branches, site): Check => {
  const checks = branches.map((branch) => site.inPlace(branch))
  return (value, run) => {
    const passed = countPassing(checks, value, run)
    if (passed === 1) return true
    if (passed === 0) return tellClosest('oneOf', checks, value, run)
    return run.fail('oneOf', `a value that fits exactly one of ${checks.length} alternatives, but it fits ${passed}`, value)
  }
})

export const not = keyword('not', schema, (refused, site): Check => {
  // As for a member: what a refused schema evaluated does not count.
  const check = site.child(refused)
  return (value, run) => !run.try(check, value) || run.fail('not', 'a value that does not fit the schema under "not"', value)
})

export const condition = keyword('if', schema, (asked, site): Check => {
  const check = site.inPlace(asked)
  const then = site.inPlace(site.sibling('then') ?? true)
  const otherwise = site.inPlace(site.sibling('else') ?? true)
  return (value, run) => (run.try(check, value) ? then(value, run) : otherwise(value, run))
})

export const consequence = keyword('then', schema)
export const alternative = keyword('else', schema)

function somePasses(checks: readonly Check[], value: unknown, run: ValidationRun): boolean {
  for (let index = 0; index < checks.length; index++) {
    run.spend(1)
    if (run.try(checks[index]!, value)) return true
  }
  return false
}

function countPassing(checks: readonly Check[], value: unknown, run: ValidationRun): number {
  let passed = 0
  run.spend(checks.length)
  for (let index = 0; index < checks.length; index++) if (run.try(checks[index]!, value)) passed++
  return passed
}

/** Tells why the closest alternative does not fit; what is wrong with all the others would only distract. */
function tellClosest(name: string, checks: readonly Check[], value: unknown, run: ValidationRun): false {
  if (run.decided) return false
  const stories = checks.map((check) => run.explain(check, value))
  const kinds = stories.map(wrongKind)
  if (kinds.every((kind) => kind !== undefined)) return run.fail(name, [...new Set(kinds)].join(', or '), value)
  const closest = stories.reduce((best, story) => (distance(story) < distance(best) ? story : best))
  return run.adopt(closest)
}

/** What an alternative expects, when already the kind of value is wrong. */
function wrongKind(story: readonly IssueDraft[]): string | undefined {
  const first = story[0]
  return first && first.inwards.length === 0 && tellsKind(first) ? first.issue.expected : undefined
}

function tellsKind({ issue }: IssueDraft): boolean {
  return issue.keyword === 'type' || issue.keyword === 'const' || issue.keyword === 'enum'
}

/** How far a value is from an alternative: of a wrong kind, with the wrong tag of a union, or wrong in some detail. */
function distance(story: readonly IssueDraft[]): number {
  return story.reduce((sum, draft) => sum + weight(draft), 0)
}

function weight(draft: IssueDraft): number {
  if (draft.inwards.length === 0 && tellsKind(draft)) return 1_000
  return draft.inwards.length === 1 && (draft.issue.keyword === 'const' || draft.issue.keyword === 'enum') ? 100 : 1
}

/** A schema that is not an object. */
export function booleanSchema(schema: Json): Check | undefined {
  if (schema === true) return () => true
  if (schema === false) return (value, run) => run.fail('false', 'no value here', value)
  return undefined
}
