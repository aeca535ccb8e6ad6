import type { Json, JsonObject } from '../../../json.js'
import { compileTrusted } from '../../../schema/compile-schema.js'
import type { Issue } from '../../../schema/issue.js'
import { rulesProblem } from '../rules-error.js'

/** One part of a condition. Both of its questions throw where they cannot be answered. */
export type ConditionTest<T> = {
  holds(value: T): boolean
  /** Why it does not hold; undefined when it does. */
  why(value: T): string | undefined
}

/** Work one schema may do for one call. */
const mostSteps = 200_000
/** Work that all schemas together may do for one decision: many rules are not to cost many times as much. */
const mostTogether = 1_000_000
const decisionBudget = { left: Number.POSITIVE_INFINITY }

/** A decision is made in one go, so there is never a second one at the same time. */
export function withinOneDecision<T>(decide: () => T): T {
  decisionBudget.left = mostTogether
  try {
    return decide()
  } finally {
    decisionBudget.left = Number.POSITIVE_INFINITY
  }
}

/** How a check ends that was not carried through. */
const halts: ReadonlySet<string> = new Set(['budget', 'too-deep'])

/** A schema, compiled once. A check that had to be given up says neither yes nor no. */
export function schemaTest<T>(schema: Json, at: string): ConditionTest<T> {
  // Most rules are about other calls: turned round, the schema has nothing to explain when it does not hold.
  const { check } = compiled({ not: schema }, at)
  return { ...documentTest(schema, at), holds: (value) => carriedThrough(check(value), at) !== undefined }
}

/** The same for a schema that may refer to places within itself, and so cannot stand in another. */
export function documentTest<T>(schema: Json, at: string): ConditionTest<T> {
  const { check } = compiled(schema, at)
  return {
    holds: (value) => carriedThrough(check(value), at) === undefined,
    why: (value) => {
      const issue = carriedThrough(check(value), at)
      return issue && (issue.path ? `${issue.path}: ${issue.message}` : issue.message)
    },
  }
}

function carriedThrough([issue]: readonly Issue[], at: string): Issue | undefined {
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

/** All of the tests; undefined, which costs nothing, where there are none. */
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

/** A test by a question, and what to say where the answer is no. */
export const testThat = <T>(holds: (value: T) => boolean, whyNot: (value: T) => string | undefined): ConditionTest<T> => ({
  holds,
  why: (value) => (holds(value) ? undefined : whyNot(value)),
})

/** The test of what can be seen in the value. */
export const testOf = <T, S>(see: (value: T) => S, test: ConditionTest<S> | undefined): ConditionTest<T> => ({
  holds: (value) => test?.holds(see(value)) ?? true,
  why: (value) => test?.why(see(value)),
})

export const objectSchema = (properties: JsonObject): JsonObject => ({
  type: 'object',
  properties,
  required: Object.keys(properties),
})
