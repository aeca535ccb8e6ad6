import { describe, expect, it } from 'vitest'
import { auditQueryOf, emptyFilter, filterFromRoute, isFiltered } from '../../src/audit/audit-filter.js'
import { href, routeOf } from '../../src/page/route.js'

describe('the filter of the log', () => {
  it('is written into the address, and read from there again', () => {
    const filter = { ...emptyFilter, text: 'a b&c', tool: 'files__read', outcome: 'refused', from: '2026-11-20T09:30' }
    const { view, query } = routeOf(href(['audit'], filter))
    expect([view, filterFromRoute(query)]).toEqual(['audit', filter])
    expect(href(['audit'], emptyFilter)).toBe('#/audit')
  })

  it('is sent to the gateway with trimmed texts, and with whole minutes in the time zone of the reader', () => {
    const { from, to, ...rest } = auditQueryOf({
      ...emptyFilter,
      caller: ' alice ',
      from: '2026-11-20T09:30',
      to: '2026-11-20T09:30',
    })
    expect(rest).toMatchObject({ caller: 'alice', tool: '' })
    expect(from).toBe(new Date(2026, 10, 20, 9, 30).getTime())
    expect(to).toBe(new Date(2026, 10, 20, 9, 30, 59, 999).getTime())
  })

  it('leaves out a time that cannot be parsed', () => {
    expect(auditQueryOf({ ...emptyFilter, from: 'yesterday' })).toMatchObject({ from: undefined, to: undefined })
  })

  it('is distinguished from the empty filter', () => {
    expect([isFiltered(emptyFilter), isFiltered({ ...emptyFilter, decision: 'allowed' })]).toEqual([false, true])
  })
})
