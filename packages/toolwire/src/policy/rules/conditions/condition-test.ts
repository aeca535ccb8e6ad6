import type { Json, JsonObject } from '../../../json.js'
import { compileTrusted } from '../../../schema/compile-schema.js'
import type { Issue } from '../../../schema/issue.js'
import { rulesProblem } from '../rules-error.js'

/** One part of a condition. Both functions throw if they cannot give an answer. */
export type ConditionTest<T> = {
  holds(value: T): boolean
  /** Returns the reason why it does not hold; undefined if it holds. */
  why(value: T): string | undefined
}

/** Maximum number of steps for one schema and one call. */
const mostSteps = 200_000
/** Maximum number of steps for one decision, over all schemas, so that many rules do not cost many times as much. */
const mostTogether = 1_000_000
const decisionBudget = { left: Number.POSITIVE_INFINITY }

/** Gives one decision a budget of steps. Decisions are synchronous, so there is never a second one at the same time. */
export function withinOneDecision<T>(decide: () => T): T {
  decisionBudget.left = mostTogether
  try {
    return decide()
  } finally {
    decisionBudget.left = Number.POSITIVE_INFINITY
  }
}

/** Charges work that no schema does to the budget of the decision. */
export function chargeDecision(steps: number, at: string): void {
  decisionBudget.left -= steps
  if (decisionBudget.left < 0) throw new Error(`${at}: the check takes too long; send fewer or shorter paths`)
}

/** Issues of a check that was given up. */
const halts: ReadonlySet<string> = new Set(['budget', 'too-deep'])

/** A test by a compiled schema. It throws if a check was given up. */
export function schemaTest<T>(schema: Json, at: string): ConditionTest<T> {
  // Most rules are about other calls. For these, the negated schema fits and has nothing to explain.
  const { check } = compiled({ not: schema }, at)
  return { ...documentTest(schema, at), holds: (value) => firstIssue(check(value), at) !== undefined }
}

/** Like `schemaTest`, for a schema that may refer to places within itself, and so cannot be part of another. */
export function documentTest<T>(schema: Json, at: string): ConditionTest<T> {
  const { check } = compiled(schema, at)
  return {
    holds: (value) => firstIssue(check(value), at) === undefined,
    why: (value) => {
      const issue = firstIssue(check(value), at)
      return issue && (issue.path ? `${issue.path}: ${issue.message}` : issue.message)
    },
  }
}

function firstIssue([issue]: readonly Issue[], at: string): Issue | undefined {
  if (issue && halts.has(issue.keyword)) throw new Error(`${at}: ${issue.message}`)
  return issue
}

function compiled(schema: Json, at: string) {
  try {
    return compileTrusted(schema, { limits: { steps: mostSteps }, sharedSteps: decisionBudget })
  } catch (thrown) {
    throw rulesProblem(at, thrown instanceof Error ? thrown.message : String(thrown), thrown)
  }
}

/** Combines tests that must all hold; undefined, which costs nothing, if there are none. */
export function allTests<T>(tests: readonly (ConditionTest<T> | undefined)[]): ConditionTest<T> | undefined {
  const some = tests.filter((test) => test !== undefined)
  if (some.length < 2) return some[0]
  return {
    holds: (value) => some.every((test) => test.holds(value)),
    why: (value) => {
      for (const test of some) {
        const why = test.why(value)
        if (why !== undefined) return why
      }
      return undefined
    },
  }
}

/** A test by a predicate, with a function that explains its failures. */
export const testThat = <T>(holds: (value: T) => boolean, whyNot: (value: T) => string | undefined): ConditionTest<T> => ({
  holds,
  why: (value) => (holds(value) ? undefined : whyNot(value)),
})

/** A test of something derived from the value. */
export const testOf = <T, S>(see: (value: T) => S, test: ConditionTest<S> | undefined): ConditionTest<T> => ({
  holds: (value) => test?.holds(see(value)) ?? true,
  why: (value) => test?.why(see(value)),
})

export const objectSchema = (properties: JsonObject): JsonObject => ({
  type: 'object',
  properties,
  required: Object.keys(properties),
})
