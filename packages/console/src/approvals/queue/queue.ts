// The pending calls known to the page: loaded pages of the queue, updated by events.
import type { Approval, ApprovalGroup, Approvals, Danger } from '../../api/types.js'
import { betterEnding, type Ending, type Endings, noEndings, withEndings } from '../endings.js'

const ranks = { destructive: 0, write: 1, read: 2 } as const satisfies Record<Danger, number>

type Waiting = { readonly id: string; readonly danger: Danger; readonly askedAt: number }

/** The most dangerous first, then the oldest; the id breaks ties. */
function byUrgency(one: Waiting, other: Waiting): number {
  return ranks[one.danger] - ranks[other.danger] || one.askedAt - other.askedAt || compare(one.id, other.id)
}

const byDanger = (one: { readonly danger: Danger }, other: { readonly danger: Danger }): number =>
  ranks[one.danger] - ranks[other.danger]

const compare = (one: string, other: string): number => (one < other ? -1 : one > other ? 1 : 0)

/** A call; with an ending it is no longer pending. */
export type QueueEntry = { readonly approval: Approval; readonly ending?: Ending }

export type QueueGroup = ApprovalGroup & {
  readonly key: string
  /** The loaded calls; `count` is the number of all pending ones. */
  readonly entries: readonly QueueEntry[]
  /** Cursor of the group's next page. */
  readonly next?: string
}

export type ApprovalQueue = { readonly groups: readonly QueueGroup[]; readonly endings: Endings }

export const emptyQueue: ApprovalQueue = { groups: [], endings: noEndings }

type About = Pick<ApprovalGroup, 'tool' | 'server' | 'caller'>

export const groupKey = ({ tool, server, caller }: About): string => JSON.stringify([server, tool, caller])
const aboutOf = ({ tool, server, caller }: Approval): About => ({ tool: tool.name, server, caller })

export const queueEntries = ({ groups }: ApprovalQueue): readonly QueueEntry[] => groups.flatMap(({ entries }) => entries)
export const queueEntryOf = (queue: ApprovalQueue, id: string | undefined): QueueEntry | undefined =>
  queueEntries(queue).find(({ approval }) => approval.id === id)

/** The id of the next pending call below this one, or else of the first. */
export function nextPending(queue: ApprovalQueue, id: string): string | undefined {
  const all = queueEntries(queue)
  const at = all.findIndex(({ approval }) => approval.id === id)
  const isPending = ({ ending, approval }: QueueEntry) => !ending && approval.id !== id
  return (all.slice(at + 1).find(isPending) ?? all.find(isPending))?.approval.id
}

/** Merges a newly loaded first page. Calls that are not on it stay, unless the page holds all pending calls. */
export function withPage(before: ApprovalQueue, page: Approvals): ApprovalQueue {
  const isAll = page.next === undefined
  const listed = new Set(page.approvals.map(({ id }) => id))
  const kept = queueEntries(before).filter(({ approval }) => !listed.has(approval.id))
  const entries = [
    ...page.approvals.map((approval) => entryFor(approval, before.endings.get(approval.id))),
    ...kept.map((entry) => (isAll && !entry.ending ? { ...entry, ending: { what: 'over' } as const } : entry)),
  ]
  const nexts = new Map(before.groups.map(({ key, next }) => [key, next]))
  const groups = groupsOf(page.groups, entries).map((group) => ({ ...group, ...nextOf(nexts.get(group.key)) }))
  return { groups, endings: before.endings }
}

export function withGroupPage(before: ApprovalQueue, key: string, { approvals, next }: Approvals): ApprovalQueue {
  const groups = before.groups.map((group) => {
    if (group.key !== key) return group
    const known = new Set(group.entries.map(({ approval }) => approval.id))
    const fresh = approvals.filter(({ id }) => !known.has(id)).map((one) => entryFor(one, before.endings.get(one.id)))
    const { next: _, ...same } = group
    return { ...same, ...nextOf(next), entries: sorted([...group.entries, ...fresh]) }
  })
  return { ...before, groups }
}

export function withApproval(before: ApprovalQueue, approval: Approval): ApprovalQueue {
  const key = groupKey(aboutOf(approval))
  const entry = entryFor(approval, before.endings.get(approval.id))
  const group = before.groups.find((one) => one.key === key) ?? leftover(key, [entry])
  const others = group.entries.filter((one) => one.approval.id !== approval.id)
  const fresh = { ...group, entries: sorted([...others, entry]) }
  const groups = before.groups.includes(group)
    ? before.groups.map((one) => (one === group ? fresh : one))
    : [...before.groups, fresh]
  return { ...before, groups: groups.toSorted(byDanger) }
}

/** Applies endings in one step, since there may be a thousand at once. */
export function withEndingsInQueue(before: ApprovalQueue, news: Endings): ApprovalQueue {
  const endings = withEndings(before.endings, news)
  if (endings === before.endings) return before
  return { groups: before.groups.map((group) => endedIn(group, news)), endings }
}

/** Removes the ended calls that may go. */
export function withoutEnded(before: ApprovalQueue, mayGo: (id: string) => boolean): ApprovalQueue {
  const stays = ({ approval, ending }: QueueEntry) => !ending || !mayGo(approval.id)
  if (queueEntries(before).every(stays)) return before
  const groups = before.groups.map((group) => ({ ...group, entries: group.entries.filter(stays) }))
  return { ...before, groups: groups.filter(({ count, entries }) => count > 0 || entries.length > 0) }
}

function endedIn(group: QueueGroup, news: Endings): QueueGroup {
  const ended = group.entries.filter(({ approval, ending }) => !ending && news.has(approval.id)).length
  const entries = group.entries.map((entry) => entryFor(entry.approval, newestEnding(entry, news)))
  return { ...group, count: Math.max(0, group.count - ended), entries }
}

function newestEnding({ approval, ending }: QueueEntry, news: Endings): Ending | undefined {
  const told = news.get(approval.id)
  return told ? betterEnding(ending, told) : ending
}

function groupsOf(groups: readonly ApprovalGroup[], entries: readonly QueueEntry[]): readonly QueueGroup[] {
  const byKey = new Map<string, QueueEntry[]>()
  for (const entry of sorted(entries)) {
    const key = groupKey(aboutOf(entry.approval))
    const known = byKey.get(key)
    if (known) known.push(entry)
    else byKey.set(key, [entry])
  }
  const named = groups.map((group) => {
    const key = groupKey(group)
    const known = byKey.get(key) ?? []
    byKey.delete(key)
    return { ...group, key, entries: known }
  })
  return [...named, ...[...byKey].map(([key, known]) => leftover(key, known))].sort(byDanger)
}

/** A group that the gateway no longer lists, with its calls that are still shown. */
function leftover(key: string, entries: readonly QueueEntry[]): QueueGroup {
  const { approval } = entries[0]! // every key comes from an entry
  const count = entries.filter(({ ending }) => !ending).length
  return { ...aboutOf(approval), key, danger: approval.danger, count, entries }
}

const entryFor = (approval: Approval, ending: Ending | undefined): QueueEntry => (ending ? { approval, ending } : { approval })
const nextOf = (next: string | undefined) => (next === undefined ? {} : { next })
const sorted = (entries: readonly QueueEntry[]): readonly QueueEntry[] =>
  [...entries].sort((one, other) => byUrgency(one.approval, other.approval))
