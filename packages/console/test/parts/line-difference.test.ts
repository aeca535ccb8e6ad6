import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { comparedTexts } from '../../src/parts/text/Difference.js'
import { foldUnchanged } from '../../src/parts/text/fold-unchanged.js'
import { commonEnds, type DiffLine, lineDifference } from '../../src/parts/text/line-difference.js'

const signs = { same: ' ', removed: '-', added: '+' }
const shown = (lines: readonly DiffLine[]) => lines.map(({ kind, text }) => `${signs[kind]}${text}`)
const side = (lines: readonly DiffLine[], kind: 'removed' | 'added') =>
  lines
    .filter((line) => line.kind === 'same' || line.kind === kind)
    .map(({ text }) => text)
    .join('\n')

describe('the difference of two texts', () => {
  it('shows a changed line between unchanged lines', () => {
    expect(shown(lineDifference('a\nb\nc', 'a\nx\nc'))).toEqual([' a', '-b', '+x', ' c'])
  })

  it('shows exactly the added and removed lines', () => {
    expect(shown(lineDifference('a\nb\nc\nd', 'b\nc\nx\nd'))).toEqual(['-a', ' b', ' c', '+x', ' d'])
  })

  it('has only unchanged lines if the texts are equal', () => {
    expect(shown(lineDifference('a\nb', 'a\nb'))).toEqual([' a', ' b'])
  })

  it('contains both texts completely, with as few changes as possible', () => {
    const text = fc.array(fc.constantFrom('a', 'b', 'c', ''), { minLength: 1, maxLength: 12 }).map((lines) => lines.join('\n'))
    fc.assert(
      fc.property(text, text, (before, after) => {
        const lines = lineDifference(before, after)
        expect(side(lines, 'removed')).toBe(before)
        expect(side(lines, 'added')).toBe(after)
        expect(lines.filter(({ kind }) => kind === 'same')).toHaveLength(longestCommon(before.split('\n'), after.split('\n')))
      }),
    )
  })

  it('of very long texts is found quickly, but less precisely', () => {
    const long = (sign: string) => Array.from({ length: 20_000 }, (_, at) => `${sign}${at}`).join('\n')
    const lines = lineDifference(`same\n${long('a')}`, `same\n${long('b')}`)
    expect(lines[0]).toEqual({ kind: 'same', text: 'same' })
    expect(lines).toHaveLength(40_001)
  })
})

it('values of other types differ, and the order of members does not matter', () => {
  expect(comparedTexts('true', true)).toEqual(['"true"', 'true'])
  expect(comparedTexts('a\nb', 'c')).toEqual(['a\nb', 'c'])
  expect(new Set(comparedTexts({ a: 1, b: 2 }, { b: 2, a: 1 })).size).toBe(1)
})

describe('two lines', () => {
  it('differ between their common ends', () => {
    expect(commonEnds('read the file', 'read any file')).toEqual({ start: 5, end: 5 })
  })

  it('are never split within a character', () => {
    expect(commonEnds('😀', '😁')).toEqual({ start: 0, end: 0 })
  })

  it('do not count common characters twice', () => {
    expect(commonEnds('aa', 'aaa')).toEqual({ start: 2, end: 0 })
  })
})

describe('stretches', () => {
  const same = (count: number): DiffLine[] => Array.from({ length: count }, (_, at) => ({ kind: 'same', text: String(at) }))

  it('fold unchanged lines that are far from a change, and keep three lines around it', () => {
    const stretches = foldUnchanged([...same(10), { kind: 'added', text: 'x' }, ...same(10)])
    expect(stretches.map(({ folded, from, lines }) => [folded, from, lines.length])).toEqual([
      [true, 0, 7],
      [false, 7, 7],
      [true, 14, 7],
    ])
  })

  it('do not fold fewer lines than the placeholder would need', () => {
    expect(foldUnchanged([...same(5), { kind: 'added', text: 'x' }]).some(({ folded }) => folded)).toBe(false)
  })
})

/** A slow and simple reference: the length of the longest common subsequence. */
function longestCommon(a: readonly string[], b: readonly string[]): number {
  const rows = [new Array<number>(b.length + 1).fill(0)]
  for (const [i, one] of a.entries()) {
    const row = [0]
    for (const [j, other] of b.entries()) row.push(one === other ? rows[i]![j]! + 1 : Math.max(rows[i]![j + 1]!, row[j]!))
    rows.push(row)
  }
  return rows.at(-1)!.at(-1)!
}
