import type { JsonObject } from '../../json.js'
import { keywordSize } from './schema-parts.js'

/** Limits on the work for one schema, because alternatives multiply, and each part is merged with all the parts before it. */
export type Budget = {
  /** Number of schemas that may still be written. */
  schemas: number
  /** Number of characters of schemas that may still be merged, compared or written. */
  characters: number
}

export const newBudget = (): Budget => ({ schemas: 1_000, characters: 500_000 })

export const tooManyParts = 'has too many parts'

const perSchema = 64

export const isSpent = (budget: Budget): boolean => budget.schemas < 0 || budget.characters < 0

/** Charges the schemas without their inner schemas. */
export function charge(budget: Budget, ...schemas: readonly JsonObject[]): void {
  for (const schema of schemas) {
    budget.characters -= perSchema
    for (const [keyword, argument] of Object.entries(schema))
      if (argument !== undefined) budget.characters -= keywordSize(keyword, argument)
  }
}
