// What an edition does not have, by its own pages, and what is checked instead.
import type { Cell } from './cell.js'
import type { Side } from './editions.js'

export type Gap = {
  /** The edition that brought it. */
  readonly since: string
  readonly reason: string
  readonly page: string
}

export const gaps = {
  structured: {
    since: '2025-06-18',
    reason:
      'One side is of an edition without structured results, which begin with 2025-06-18. Checked is that the same value arrives as text, and nothing else.',
    page: '2025-06-18/changelog; 2025-06-18/server/tools#structured-content',
  },
  words: {
    since: '2025-03-26',
    reason:
      'One side is of an edition whose progress has no words, which begin with 2025-03-26. Checked is that the numbers arrive without them.',
    page: '2025-03-26/changelog; 2025-03-26/basic/utilities/progress',
  },
  forms: {
    since: '2025-06-18',
    reason:
      'One side is of an edition in which nobody can be asked: questions to the user begin with 2025-06-18. Checked is that the call fails and says so, that nobody was asked, and that nothing was done.',
    page: '2025-06-18/changelog; 2025-06-18/client/elicitation',
  },
  tasks: {
    since: '2025-11-25',
    reason:
      'One side is of an edition without tasks, which begin with 2025-11-25. Checked is that the same call gives its result as any other does.',
    page: '2025-11-25/basic/utilities/tasks; extensions/tasks/overview',
  },
} as const satisfies { readonly [name: string]: Gap }

export type GapName = keyof typeof gaps

export const isBefore = (edition: string, { revision }: Side): boolean => revision.version < edition

/** The name of the gap if either side of the cell has it. */
export function gapIn<N extends GapName>(name: N, { caller, server }: Cell): N | undefined {
  const { since } = gaps[name]
  return isBefore(since, caller) || isBefore(since, server) ? name : undefined
}
