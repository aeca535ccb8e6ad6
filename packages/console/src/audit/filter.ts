// What the log is narrowed to. It stands in the address, so that a search can be sent to somebody else.
import type { Query } from '../api/api.js'
import type { RouteQuery } from '../page/route.js'

export type Filter = {
  readonly text: string
  readonly tool: string
  readonly caller: string
  readonly server: string
  readonly outcome: string
  readonly decision: string
  /** Moments as the fields of the page write them: `2026-11-20T09:30`, in the reader's zone. */
  readonly from: string
  readonly to: string
}

const names = ['text', 'tool', 'caller', 'server', 'outcome', 'decision', 'from', 'to'] as const

export const everything: Filter = { text: '', tool: '', caller: '', server: '', outcome: '', decision: '', from: '', to: '' }

export const filterIn = (query: URLSearchParams): Filter =>
  Object.fromEntries(names.map((name) => [name, query.get(name) ?? ''])) as Filter // all of its names

export const routeQueryOf = (filter: Filter): RouteQuery => Object.fromEntries(names.map((name) => [name, filter[name]]))

export const isNarrow = (filter: Filter): boolean => names.some((name) => filter[name] !== '')

export const isSame = (one: Filter, other: Filter): boolean => names.every((name) => one[name] === other[name])

/** The same, as the gateway is asked. A moment that cannot be read says nothing. */
export function queryOf({ from, to, ...texts }: Filter): Query {
  const trimmed = Object.fromEntries(Object.entries(texts).map(([name, value]) => [name, value.trim()]))
  const until = momentOf(to)
  // The field knows minutes, and the one that is named belongs to it.
  return { ...trimmed, from: momentOf(from), to: until === undefined ? undefined : until + 59_999 }
}

function momentOf(text: string): number | undefined {
  const at = text === '' ? Number.NaN : new Date(text).getTime()
  return Number.isNaN(at) ? undefined : at
}
