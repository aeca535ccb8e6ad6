import type { Json } from '../../json.js'
import { allChecks } from '../compiler/combine-checks.js'
import type { Check, IssueDraft, ValidationRun } from '../compiler/validation-run.js'
import { keyword } from '../dialects/keyword.js'
import { schema, schemas } from '../dialects/shapes.js'

export const combinators = [
  keyword('allOf', schemas, (parts, site) => {
    const all = allChecks(parts.map((part) => site.inPlace(part)))
    return (value, run) => {
      run.spend(parts.length)
      return all(value, run)
    }
  }),
  keyword('anyOf', schemas, (branches, site) => {
    const checks = branches.map((branch) => site.inPlace(branch))
    return (value, run) => {
      // Unevaluated keywords need the members that every passing branch has evaluated.
      const passes = site.tracks ? countPassing(checks, value, run) > 0 : somePasses(checks, value, run)
      return passes || tellClosest('anyOf', checks, value, run)
    }
  }),
  keyword('oneOf', schemas, (branches, site) => {
    const checks = branches.map((branch) => site.inPlace(branch))
    return (value, run) => {
      const passed = countPassing(checks, value, run)
      if (passed === 1) return true
      if (passed === 0) return tellClosest('oneOf', checks, value, run)
      return run.fail('oneOf', `a value that fits exactly one of ${checks.length} alternatives, but it fits ${passed}`, value)
    }
  }),
  keyword('not', schema, (refused, site) => {
    // Compiled as for a member, because members that a refused schema evaluates do not count.
    const check = site.child(refused)
    return (value, run) => !run.try(check, value) || run.fail('not', 'a value that does not fit the schema under "not"', value)
  }),
  keyword('if', schema, (asked, site) => {
    const check = site.inPlace(asked)
    const then = site.inPlace(site.sibling('then') ?? true)
    const otherwise = site.inPlace(site.sibling('else') ?? true)
    return (value, run) => (run.try(check, value) ? then(value, run) : otherwise(value, run))
  }),
  keyword('then', schema),
  keyword('else', schema),
]

function somePasses(checks: readonly Check[], value: unknown, run: ValidationRun): boolean {
  return checks.some((check) => {
    run.spend(1)
    return run.try(check, value)
  })
}

function countPassing(checks: readonly Check[], value: unknown, run: ValidationRun): number {
  run.spend(checks.length)
  return checks.filter((check) => run.try(check, value)).length
}

/** Reports only why the closest alternative does not fit; the issues of the others would distract. */
function tellClosest(name: string, checks: readonly Check[], value: unknown, run: ValidationRun): false {
  if (run.decided) return false
  const stories = checks.map((check) => run.explain(check, value))
  // The expectations of alternatives for which the value is of the wrong kind.
  const kinds = stories.map(([first]) => (first && isWrongKind(first) ? first.issue.expected : undefined))
  if (kinds.every((kind) => kind !== undefined)) return run.fail(name, [...new Set(kinds)].join(', or '), value)
  const closest = stories.reduce((best, story) => (distance(story) < distance(best) ? story : best))
  return run.adopt(closest)
}

const isTag = ({ issue }: IssueDraft) => issue.keyword === 'const' || issue.keyword === 'enum'
const isWrongKind = (draft: IssueDraft) => draft.inwards.length === 0 && (draft.issue.keyword === 'type' || isTag(draft))

/** Distance of a value from an alternative: largest for a wrong kind, then for a wrong tag of a union, then for details. */
const distance = (story: readonly IssueDraft[]): number => story.reduce((sum, draft) => sum + weight(draft), 0)

function weight(draft: IssueDraft): number {
  if (isWrongKind(draft)) return 1_000
  return draft.inwards.length === 1 && isTag(draft) ? 100 : 1
}

/** The check of a boolean schema; undefined for an object. */
export function booleanSchema(schema: Json): Check | undefined {
  if (schema === true) return () => true
  if (schema === false) return (value, run) => run.fail('false', 'no value here', value)
  return undefined
}
