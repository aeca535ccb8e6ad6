import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { argumentPieces, maxUnseenBytes } from '../../src/approvals/call/argument-pieces.js'
import { blockName, isPieceSeen, nothingSeen, unseenPieces, withSeen } from '../../src/approvals/call/seen-blocks.js'
import { textBlocks } from '../../src/approvals/call/text-blocks.js'

describe('blocks', () => {
  it('join to exactly the whole text', () => {
    const parts = fc.constantFrom('\n', 'x', 'x'.repeat(700), '😀'.repeat(300), '\ud83d', '\ude00', 'a line\n'.repeat(9))
    fc.assert(
      fc.property(fc.array(parts), (all) => {
        expect(textBlocks(all.join('')).join('')).toBe(all.join(''))
      }),
    )
  })

  it('fit on a screen, and never split a character', () => {
    const texts = ['x'.repeat(5_000), `x${'😀'.repeat(3_000)}`, 'a line\n'.repeat(500), `${'y'.repeat(999)}\n`.repeat(9)]
    for (const text of texts)
      for (const block of textBlocks(text)) {
        expect(block.length).toBeLessThanOrEqual(1_001)
        expect(block.split('\n').length).toBeLessThanOrEqual(17)
        expect(block.isWellFormed()).toBe(true)
      }
  })
})

describe('pieces', () => {
  it('are counted as arguments, even if several arguments share a piece', () => {
    const pieces = argumentPieces(Object.fromEntries(Array.from({ length: 5_000 }, (_, n) => [`n${n}`, n])))
    expect([pieces.count, pieces.all.length]).toEqual([5_000, 101])
  })

  it('show up to 4 KiB at once, unfolded, without a need to scroll through all', () => {
    const pieces = argumentPieces({ path: '/srv/a.txt', content: 'x'.repeat(3_000) })
    expect(pieces.mustBeSeen).toBe(false)
    expect(pieces.all.map(({ isFolded }) => isFolded)).toEqual([false, false])
    expect(unseenPieces(pieces, nothingSeen) === 0).toBe(true)
  })

  it('count the bytes of all arguments, however small each is', () => {
    const many = Object.fromEntries(Array.from({ length: 90 }, (_, index) => [`name${index}`, 'x'.repeat(50)]))
    expect(argumentPieces(many)).toMatchObject({ mustBeSeen: true })
    expect(argumentPieces({ text: 'ü'.repeat(2_100) })).toMatchObject({ mustBeSeen: true })
    expect(argumentPieces({ text: 'u'.repeat(2_100) })).toMatchObject({ mustBeSeen: false })
    expect(maxUnseenBytes).toBe(4_096)
  })

  it('count the lines, too: line breaks and names of empty values', () => {
    expect(argumentPieces({ note: `hi${'\n'.repeat(38)}`, to: 'everybody' })).toMatchObject({ mustBeSeen: false })
    const pushed = argumentPieces({ note: `hi${'\n'.repeat(100)}`, to: 'everybody' })
    expect([pushed.mustBeSeen, unseenPieces(pushed, nothingSeen)]).toEqual([true, 2])
    const names = argumentPieces(Object.fromEntries(Array.from({ length: 60 }, (_, index) => [`name${index}`, ''])))
    expect([names.mustBeSeen, unseenPieces(names, nothingSeen)]).toEqual([true, 60])
  })

  it('count the marks of hidden characters, which are longer than the characters', () => {
    expect(argumentPieces({ note: `hi${'\u200b'.repeat(300)}`, to: 'everybody' })).toMatchObject({ mustBeSeen: false })
    const pushed = argumentPieces({ note: `hi${'\u200b'.repeat(500)}`, to: 'everybody' })
    expect([pushed.mustBeSeen, unseenPieces(pushed, nothingSeen)]).toEqual([true, 2])
  })

  it('fold the long arguments of a long call, and show the short ones', () => {
    const { all } = argumentPieces({ path: '/srv/a.txt', content: 'x'.repeat(9_000) })
    expect(all.map(({ name, kind, isFolded }) => ({ name, kind, isFolded }))).toEqual([
      { name: 'path', kind: 'text', isFolded: false },
      { name: 'content', kind: 'text', isFolded: true },
    ])
  })

  it('contain every name, however long, and every argument, however many', () => {
    const name = 'n'.repeat(5_000)
    expect(argumentPieces({ [name]: 1 }).all[0]?.text).toContain(name)
    const many = argumentPieces(Object.fromEntries(Array.from({ length: 250 }, (_, index) => [`name${index}`, index])))
    expect(many.all).toHaveLength(101)
    expect(many.all.at(-1)?.text).toContain('"name249": 249')
    expect(argumentPieces(JSON.parse('{"__proto__":"hidden?"}')).all[0]).toMatchObject({ name: '__proto__', text: 'hidden?' })
  })

  it('count hidden characters, in names too', () => {
    expect(argumentPieces({ 'a\u200b': 'b\u202ec', d: ['\u2066'] }).hidden).toBe(3)
    expect(argumentPieces({ a: 'b\tc\nd' }).hidden).toBe(0)
  })

  it('distinguish a text from the value that it resembles', () => {
    const { all } = argumentPieces({ a: 'true', b: true, c: null, d: [1], e: { f: 2 } })
    expect(all.map(({ kind }) => kind)).toEqual(['text', 'boolean', 'null', 'list', 'object'])
  })
})

describe('the seen blocks', () => {
  const pieces = argumentPieces({ path: '/srv/a.txt', content: 'x'.repeat(9_000) })
  const every = pieces.all.flatMap(({ blocks }, piece) => blocks.map((_, block) => blockName(piece, block)))

  it('must include every block of every argument', () => {
    expect(unseenPieces(pieces, nothingSeen) === 0).toBe(false)
    for (const missing of every) expect(unseenPieces(pieces, new Set(every.filter((name) => name !== missing))) === 0).toBe(false)
    expect(unseenPieces(pieces, new Set(every)) === 0).toBe(true)
  })

  it('tell how many arguments are not completely seen', () => {
    expect(unseenPieces(pieces, nothingSeen)).toBe(2)
    const seen = withSeen(nothingSeen, [blockName(0, 0)])
    expect(unseenPieces(pieces, seen)).toBe(1)
    expect(isPieceSeen(pieces, 0, seen)).toBe(true)
    expect(isPieceSeen(pieces, 1, seen)).toBe(false)
  })

  it('stay the same set if no block is new', () => {
    const seen = withSeen(nothingSeen, ['0:0'])
    expect(withSeen(seen, ['0:0'])).toBe(seen)
    expect(nothingSeen.size).toBe(0)
  })
})
