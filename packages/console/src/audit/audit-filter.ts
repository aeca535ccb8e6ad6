// What the log is narrowed to. It stands in the address, so that a search can be sent to somebody else.
import type { Query } from '../api/api.js'

const names = ['text', 'tool', 'caller', 'server', 'outcome', 'decision', 'from', 'to'] as const

/** `from` and `to` are moments as the fields of the page write them: `2026-11-20T09:30`, in the reader's zone. */
export type AuditFilter = Readonly<Record<(typeof names)[number], string>>

export const filterFromRoute = (query: URLSearchParams): AuditFilter =>
  Object.fromEntries(names.map((name) => [name, query.get(name) ?? ''])) as AuditFilter // all of its names

export const emptyFilter: AuditFilter = filterFromRoute(new URLSearchParams())

export const isFiltered = (filter: AuditFilter): boolean => names.some((name) => filter[name] !== '')

export const isSameFilter = (one: AuditFilter, other: AuditFilter): boolean => names.every((name) => one[name] === other[name])

/** The same, as the gateway is asked. A moment that cannot be read says nothing. */
export function auditQueryOf({ from, to, ...texts }: AuditFilter): Query {
  const trimmed = Object.fromEntries(Object.entries(texts).map(([name, value]) => [name, value.trim()]))
  const until = momentOf(to)
  // The field knows minutes, and the one that is named belongs to it.
  return { ...trimmed, from: momentOf(from), to: until === undefined ? undefined : until + 59_999 }
}

function momentOf(text: string): number | undefined {
  const at = text === '' ? Number.NaN : new Date(text).getTime()
  return Number.isNaN(at) ? undefined : at
}
