import { describe, expect, it } from 'vitest'
import { auditQueryOf, emptyFilter, filterFromRoute, isFiltered } from '../../src/audit/audit-filter.js'
import { href, routeOf } from '../../src/page/route.js'

describe('what the log is narrowed to', () => {
  it('stands in the address, and is read from there again', () => {
    const filter = { ...emptyFilter, text: 'a b&c', tool: 'files__read', outcome: 'refused', from: '2026-11-20T09:30' }
    const { view, query } = routeOf(href(['audit'], filter))
    expect([view, filterFromRoute(query)]).toEqual(['audit', filter])
    expect(href(['audit'], emptyFilter)).toBe('#/audit')
  })

  it('asks the gateway for texts without the spaces around them, and for whole minutes in the reader’s zone', () => {
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

  it('says nothing about a moment that cannot be read', () => {
    expect(auditQueryOf({ ...emptyFilter, from: 'yesterday' })).toMatchObject({ from: undefined, to: undefined })
  })

  it('is told apart from everything', () => {
    expect([isFiltered(emptyFilter), isFiltered({ ...emptyFilter, decision: 'allowed' })]).toEqual([false, true])
  })
})
