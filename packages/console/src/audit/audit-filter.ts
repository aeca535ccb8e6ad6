// The filter of the audit log. It is part of the address, so that a search can be shared.
import type { Query } from '../api/api.js'

const names = ['text', 'tool', 'caller', 'server', 'outcome', 'decision', 'from', 'to'] as const

/** `from` and `to` are local times as `datetime-local` fields write them: `2026-11-20T09:30`. */
export type AuditFilter = Readonly<Record<(typeof names)[number], string>>

export const filterFromRoute = (query: URLSearchParams): AuditFilter =>
  Object.fromEntries(names.map((name) => [name, query.get(name) ?? ''])) as AuditFilter // made from all names

export const emptyFilter: AuditFilter = filterFromRoute(new URLSearchParams())

export const isFiltered = (filter: AuditFilter): boolean => names.some((name) => filter[name] !== '')

export const isSameFilter = (one: AuditFilter, other: AuditFilter): boolean => names.every((name) => one[name] === other[name])

/** The filter as a query for the gateway. An invalid time is left out. */
export function auditQueryOf({ from, to, ...texts }: AuditFilter): Query {
  const trimmed = Object.fromEntries(Object.entries(texts).map(([name, value]) => [name, value.trim()]))
  const until = momentOf(to)
  // The field has minutes only, and the filter includes the whole minute.
  return { ...trimmed, from: momentOf(from), to: until === undefined ? undefined : until + 59_999 }
}

function momentOf(text: string): number | undefined {
  const at = text === '' ? Number.NaN : new Date(text).getTime()
  return Number.isNaN(at) ? undefined : at
}
