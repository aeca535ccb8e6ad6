// Scales tests that are slow or depend on the speed of the machine. `npm run soak` runs them in full, `npm test` runs a small part.
import { expect } from 'vitest'

const length = process.env.SOAK

/** True in `npm run soak`, long or short. */
export const soaking = length === 'long' || length === 'short'

/** Number of repetitions: `few` in the suite, `many` in a long soak, and a fifth of `many` in a short one. */
export function howMany(few: number, many: number): number {
  if (length === 'long') return many
  return length === 'short' ? Math.max(few, Math.ceil(many / 5)) : few
}

/** The suite runs every n-th row of a long table; a soak runs all rows. */
export const eachNth = <T>(rows: readonly T[], nth: number): T[] => rows.filter((_, at) => soaking || at % nth === 0)

/** A short soak runs on shared machines, so its time limits are wider. */
const room = length === 'long' ? 1 : 4

/** Asserts an upper limit only in a soak, because parallel tests of the suite distort times. */
export function expectWithin(ms: number | undefined, mostMs: number, what?: string): void {
  if (soaking) expect(ms, what).toBeLessThanOrEqual(mostMs * room)
}

export function expectAfter(ms: number | undefined, leastMs: number, what?: string): void {
  if (soaking) expect(ms, what).toBeGreaterThanOrEqual(leastMs)
}
