// Template matching compared with an exhaustive matcher, and its cost for hostile templates and URIs.
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { type Expression, readPieces } from '../../../src/tools/uris/template-expression.js'
import { parseTemplate } from '../../../src/tools/uris/uri-template.js'
import { howMany } from '../../soak.js'

type Found = readonly (readonly [name: string, value: string])[]
/** All ways to continue from a position, in order of preference. */
type Step = (uri: string, at: number) => Iterable<{ readonly at: number; readonly found: Found }>

/** The longest match first, then shorter ones. */
function* runs(uri: string, at: number, forbidden: string): Iterable<number> {
  let end = at
  while (end < uri.length && !forbidden.includes(uri.charAt(end))) end++
  for (; end >= at; end--) yield end
}

const literal = (text: string): Step =>
  function* (uri, at) {
    if (uri.startsWith(text, at)) yield { at: at + text.length, found: [] }
  }

function slots({ operator, variables }: Expression): Step[] {
  const { lead, separator, reserved } = operator
  return variables.map(({ name, explode }, index): Step => {
    const mark = index === 0 ? lead : separator
    const list = variables.length > 1 && separator === ',' ? ',' : ''
    const forbidden = reserved ? '' : explode && separator === '/' ? '?#' : `/?#${list}`
    return function* (uri, at) {
      if (uri.startsWith(mark, at))
        for (const end of runs(uri, at + mark.length, forbidden)) {
          const text = uri.slice(at + mark.length, end)
          if (text !== '' || !['', ','].includes(mark)) yield { at: end, found: [[name, text]] }
        }
      if (lead !== '') yield { at, found: [] }
    }
  })
}

function pairs({ operator, variables }: Expression): Step {
  const forbidden = operator.lead === ';' ? ';/?#' : '&#'
  const from = function* (uri: string, at: number, mark: string): ReturnType<Step> {
    for (const { name } of variables) {
      if (!uri.startsWith(mark + name, at)) continue
      const after = at + mark.length + name.length
      const valued = uri.charAt(after) === '='
      if (!valued && after < uri.length && !forbidden.includes(uri.charAt(after))) continue
      for (const end of runs(uri, valued ? after + 1 : after, forbidden)) {
        const own = [name, uri.slice(valued ? after + 1 : after, end)] as const
        for (const { at: further, found } of from(uri, end, operator.separator)) yield { at: further, found: [own, ...found] }
        yield { at: end, found: [own] }
      }
    }
  }
  return function* (uri, at) {
    yield* from(uri, at, operator.lead)
    yield { at, found: [] }
  }
}

const stepsOf = (template: string): Step[] =>
  readPieces(template).flatMap((piece) => {
    if (typeof piece === 'string') return [literal(piece)]
    return piece.operator.named ? [pairs(piece)] : slots(piece)
  })

function tryAll(steps: readonly Step[], uri: string, at = 0): Found | undefined {
  const [first, ...rest] = steps
  if (!first) return at === uri.length ? [] : undefined
  for (const way of first(uri, at)) {
    const others = tryAll(rest, uri, way.at)
    if (others) return [...way.found, ...others]
  }
  return undefined
}

function naive(template: string, uri: string): Record<string, string> | undefined {
  const found = tryAll(stepsOf(template), uri)
  if (!found) return undefined
  const values = new Map<string, string>()
  for (const [name, value] of found) {
    const known = values.get(name)
    if (known !== undefined && known !== value) return undefined
    values.set(name, value)
  }
  return Object.fromEntries(values)
}

const letters = 'ab/,.;?&#='
const text = (most: number) => fc.string({ unit: fc.constantFrom(...letters), minLength: 1, maxLength: most })
const expression = fc
  .tuple(fc.constantFrom('', '+', '#', '.', '/', ';', '?', '&'), fc.subarray(['a', 'b', 'ab'], { minLength: 1, maxLength: 2 }))
  .map(([operator, names]) => `{${operator}${names.join(',')}}`)
const templates = fc.array(fc.oneof(text(2), expression), { minLength: 1, maxLength: 4 }).map((pieces) => pieces.join(''))
/** Fragments of template expansions, so that many of them match. */
const uris = fc
  .array(fc.oneof(text(3), fc.constantFrom('a=', 'b=', 'ab=', '?a=b', '&b', ';a=', 'aab', 'abab')), { maxLength: 4 })
  .map((pieces) => pieces.join('').slice(0, 10))

describe('matching URI templates', () => {
  it('has the same result as an exhaustive search', () => {
    let matched = 0
    fc.assert(
      fc.property(templates, uris, (template, uri) => {
        const expected = naive(template, uri)
        if (expected) matched++
        expect(parseTemplate(template).match(uri)).toEqual(expected)
      }),
      { numRuns: howMany(6_000, 20_000) },
    )
    expect(matched).toBeGreaterThan(200)
  })

  it('finds repeated literals', () => {
    const few = fc.string({ unit: fc.constantFrom('a', 'b'), minLength: 1, maxLength: 5 })
    fc.assert(
      fc.property(few, fc.string({ unit: fc.constantFrom('a', 'b'), maxLength: 14 }), (middle, uri) => {
        const template = `{+a}${middle}{+b}`
        expect(parseTemplate(template).match(uri)).toEqual(naive(template, uri))
      }),
      { numRuns: howMany(1_500, 5_000) },
    )
  })

  it('refuses templates of more than 2,048 characters or 32 variables, and quotes their beginning', () => {
    const many = (count: number) => `x:${Array.from({ length: count }, (_, at) => `{v${at}}`).join('')}`
    expect(parseTemplate(many(32)).variables).toHaveLength(32)
    expect(() => parseTemplate(many(33))).toThrow(/^The URI template x:\{v0\}.{10,100}… has 33 variables/)
    expect(() => parseTemplate(`x:{?${'a,'.repeat(40)}a}`)).toThrow('has 41 variables')
    expect(parseTemplate(`x:${'a'.repeat(2_046)}`).variables).toEqual([])
    expect(() => parseTemplate(`x:${'a'.repeat(2_047)}`)).toThrow('is longer than 2048 characters')
    expect(() => parseTemplate(`x:${'{a}'.repeat(500_000)}`)).toThrow(expect.objectContaining({ name: 'DefinitionError' }))
  })
})
