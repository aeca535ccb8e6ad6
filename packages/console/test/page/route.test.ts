import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { href, routeOf } from '../../src/page/route.js'

describe('addresses within the page', () => {
  it.each([
    ['', 'overview'],
    ['#', 'overview'],
    ['#/', 'overview'],
    ['#/live', 'live'],
    ['#/nowhere', 'unknown'],
    ['#login=abc', 'unknown'],
  ])('%s leads to %s', (hash, view) => {
    expect(routeOf(hash).view).toBe(view)
  })

  it('lead back to what they were made of, whatever its name', () => {
    fc.assert(
      fc.property(fc.string({ minLength: 1, unit: 'binary-ascii' }), fc.string({ minLength: 1 }), (name, text) => {
        const { view, path, query } = routeOf(href(['exposed', name], { text }))
        expect([view, path, query.get('text')]).toEqual(['exposed', [name], text])
      }),
    )
  })

  it('that are written wrongly are read as far as that goes', () => {
    expect(routeOf('#/exposed/%zz').path).toEqual(['%zz'])
  })

  it('have nothing in their query that was not said', () => {
    expect(href(['audit'], { text: '', tool: undefined })).toBe('#/audit')
  })
})
