import type { PolicyPreview } from '../api/types.js'

export type Change = PolicyPreview['changes'][number]

const mostAllowed: ReadonlyMap<string, number> = new Map([
  ['deny', 0],
  ['ask', 1],
  // It may be anything.
  ['depends', 2],
  ['allow', 3],
])

/** Whether more may be done afterwards than before; that is what somebody should look at twice. */
export const isLooser = ({ before, after }: Change): boolean => (mostAllowed.get(after) ?? 0) > (mostAllowed.get(before) ?? 3)

/** Those that may allow more come first. */
export const sortedChanges = (changes: readonly Change[]): readonly Change[] =>
  [...changes].sort((one, other) => Number(isLooser(other)) - Number(isLooser(one)))
