import type { Danger } from '../../api/types.js'

const ranks = { destructive: 0, write: 1, read: 2 } as const satisfies Record<Danger, number>

type Waiting = { readonly id: string; readonly danger: Danger; readonly askedAt: number }

/** The most dangerous first, then the oldest; of those asked in the same moment it is always the same one. */
export function byUrgency(one: Waiting, other: Waiting): number {
  return ranks[one.danger] - ranks[other.danger] || one.askedAt - other.askedAt || compare(one.id, other.id)
}

export const byDanger = (one: { readonly danger: Danger }, other: { readonly danger: Danger }): number =>
  ranks[one.danger] - ranks[other.danger]

const compare = (one: string, other: string): number => (one < other ? -1 : one > other ? 1 : 0)
