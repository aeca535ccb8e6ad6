// What takes minutes, or depends on how fast the machine is: `npm run soak` has it in full, `npm test` in small.
import { expect } from 'vitest'

const length = process.env.SOAK

/** Whether this is `npm run soak`, long or short. */
export const soaking = length === 'long' || length === 'short'

/** How many of something: a few in the suite, many in a long soak, a fifth of that in a short one. */
export function howMany(few: number, many: number): number {
  if (length === 'long') return many
  return length === 'short' ? Math.max(few, Math.ceil(many / 5)) : few
}

/** Of a long table the suite runs each n-th row, a soak all. */
export const eachNth = <T>(rows: readonly T[], nth: number): T[] => rows.filter((_, at) => soaking || at % nth === 0)

/** A short soak runs on machines that others use, too. */
const room = length === 'long' ? 1 : 4

/** Nothing is said of milliseconds where other tests run beside this one. */
export function expectWithin(ms: number | undefined, mostMs: number, what?: string): void {
  if (soaking) expect(ms, what).toBeLessThanOrEqual(mostMs * room)
}

export function expectAfter(ms: number | undefined, leastMs: number, what?: string): void {
  if (soaking) expect(ms, what).toBeGreaterThanOrEqual(leastMs)
}
