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

  it('are parsed to the parts from which they were made, whatever the name', () => {
    fc.assert(
      fc.property(fc.string({ minLength: 1, unit: 'binary-ascii' }), fc.string({ minLength: 1 }), (name, text) => {
        const { view, path, query } = routeOf(href(['exposed', name], { text }))
        expect([view, path, query.get('text')]).toEqual(['exposed', [name], text])
      }),
    )
  })

  it('are parsed as far as possible if they are malformed', () => {
    expect(routeOf('#/exposed/%zz').path).toEqual(['%zz'])
  })

  it('have no empty parameters in their query', () => {
    expect(href(['audit'], { text: '', tool: undefined })).toBe('#/audit')
  })
})
