// Features that a revision lacks by its specification, and the check that replaces them.
import type { Cell } from './cell.js'
import type { Side } from './revisions.js'

export type Gap = {
  /** The revision that introduced the feature. */
  readonly since: string
  readonly reason: string
  readonly page: string
}

export const gaps = {
  structured: {
    since: '2025-06-18',
    reason:
      'The revision of one side has no structured results, which begin with 2025-06-18. The check is that the same value arrives as text, and nothing else.',
    page: '2025-06-18/changelog; 2025-06-18/server/tools#structured-content',
  },
  words: {
    since: '2025-03-26',
    reason:
      'The revision of one side has no progress messages, which begin with 2025-03-26. The check is that the numbers arrive without messages.',
    page: '2025-03-26/changelog; 2025-03-26/basic/utilities/progress',
  },
  forms: {
    since: '2025-06-18',
    reason:
      'The revision of one side has no questions to the user, which begin with 2025-06-18. The check is that the call fails with this reason, that no question was asked, and that nothing was done.',
    page: '2025-06-18/changelog; 2025-06-18/client/elicitation',
  },
  tasks: {
    since: '2025-11-25',
    reason:
      'The revision of one side has no tasks, which begin with 2025-11-25. The check is that the same call returns its result directly.',
    page: '2025-11-25/basic/utilities/tasks; extensions/tasks/overview',
  },
} as const satisfies { readonly [name: string]: Gap }

export type GapName = keyof typeof gaps

export const isBefore = (label: string, { revision }: Side): boolean => revision.version < label

/** The name of the gap, if either side of the cell has it. */
export function gapIn<N extends GapName>(name: N, { caller, server }: Cell): N | undefined {
  const { since } = gaps[name]
  return isBefore(since, caller) || isBefore(since, server) ? name : undefined
}
