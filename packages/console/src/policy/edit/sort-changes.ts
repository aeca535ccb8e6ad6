import type { Outlook, PolicyChange } from '../../api/types.js'

/** What depends on something may be anything. */
const mostAllowed = { deny: 0, ask: 1, depends: 2, allow: 3 } as const satisfies Record<Outlook, number>

/** Whether more may be done afterwards than before; that is what somebody should look at twice. */
export const isLooser = ({ before, after }: PolicyChange): boolean => mostAllowed[after] > mostAllowed[before]

/** Those that may allow more come first. */
export const sortedChanges = (changes: readonly PolicyChange[]): readonly PolicyChange[] =>
  [...changes].sort((one, other) => Number(isLooser(other)) - Number(isLooser(one)))
