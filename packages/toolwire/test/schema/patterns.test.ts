// Patterns have the same meaning as in JavaScript, which is the reference.
import fc from 'fast-check'
import { describe, expect, it, vi } from 'vitest'
import { linearPatterns } from '../../src/schema/patterns/linear-patterns.js'
import { SchemaError } from '../../src/schema/schema-error.js'
import { rid } from '../garbage.js'
import { howMany } from '../soak.js'

const free = { spend: () => undefined }
const most = 50_000

/** The matcher of the linear engine, or undefined if it refuses the pattern. */
function linear(source: string): ((text: string) => boolean) | undefined {
  try {
    const pattern = linearPatterns(most)(source)
    return (text) => pattern.test(text, free)
  } catch {
    return undefined
  }
}

/**
 * The matcher of JavaScript, or undefined if the pattern is invalid. Each position is tried separately: a V8 search also tries positions
 * within a surrogate pair, which the specification does not (`/(?!$|\P{L})/u` matches inside an emoji).
 */
function native(source: string): ((text: string) => boolean) | undefined {
  for (const flags of ['uy', 'y']) {
    try {
      const expression = new RegExp(source, flags)
      const step = (text: string, at: number) => (flags === 'uy' && text.codePointAt(at)! > 0xffff ? 2 : 1)
      return (text) => {
        for (let at = 0; at <= text.length; at += step(text, at)) {
          expression.lastIndex = at
          if (expression.test(text)) return true
        }
        return false
      }
    } catch {
      // try the next flags
    }
  }
  return undefined
}

const spaces = ['\t', '\v', '\f', '\n', '\r', ' ', '\u00a0', '\u1680', '\u2003', '\u2028', '\u2029', '\u202f', '\u3000', '\ufeff']
const character = fc.oneof(
  { weight: 6, arbitrary: fc.constantFrom('a', 'b', 'A', '1', '_', '-', 'é', 'x') },
  { weight: 2, arbitrary: fc.constantFrom(...spaces) },
  { weight: 1, arbitrary: fc.constantFrom('😀', '\ud83d', '\ude00', 'ſ', 'K', 'İ', '\u0000', '\u200d', 'ß') },
)
const text = fc.array(character, { maxLength: 12 }).map((characters) => characters.join(''))

const atom = fc.oneof(
  fc.constantFrom(
    'a',
    'b',
    'A',
    '1',
    '_',
    'é',
    '.',
    '\\s',
    '\\S',
    '\\w',
    '\\W',
    '\\d',
    '\\D',
    '\\v',
    '\\f',
    '\\t',
    '\\n',
    '\\r',
    '\\0',
  ),
  fc.constantFrom(
    '[ab]',
    '[^a]',
    '[a-z0-9]',
    '[\\s\\S]',
    '[^\\s]',
    '[\\w-]',
    '[^]',
    '[]',
    '[\\b]',
    '\\u00a0',
    '\\xa0',
    '\\cJ',
    '\\u2028',
    '-',
  ),
  fc.constantFrom(
    '\\p{Lu}',
    '\\P{L}',
    '\\p{Script=Latin}',
    '\\u{1F600}',
    '\\ud83d\\ude00',
    '\\ud83d',
    '😀',
    '[😀-😂]',
    '[\\p{L}\\d]',
  ),
  fc.constantFrom('\\-', '\\@', '\\12', '\\8', '\\k', '{', '}', ']', 'a{', '{,3}', '\\c', '\\x1', '\\u12', '\\_'),
)
/** Character classes with any parts in any order. */
const inClass = fc.constantFrom(
  ...[
    'a',
    'b',
    'z',
    '1',
    '_',
    '-',
    '^',
    '\\-',
    '\\^',
    '\\]',
    '\\\\',
    '.',
    '$',
    '(',
    'a-f',
    '0-9',
    '\\ud83d',
    '\\ude00',
    '\\s',
    '\\S',
    '\\d',
    '\\D',
    '\\w',
    '\\W',
  ],
  ...['\\p{L}', '\\P{L}', '\\p{Lu}', '\\P{Lu}', '\\p{Script=Latin}', '\\p{scx=Grek}', '\\p{', '\\p{L', '\\P{Nope}', '\\p{Any}'],
  ...[
    '\\b',
    '\\B',
    '\\c',
    '\\cJ',
    '\\c1',
    '\\c_',
    '\\0',
    '\\01',
    '\\12',
    '\\8',
    '\\u{1F600}',
    '\\ud83d\\ude00',
    '\\ud83d',
    '😀',
    'é',
    '\\k',
    '[',
    '{',
    '}',
  ],
  ...['\\u0041', '\\u{41}', '\\u{0000000041}', '\\x41', '\\x4', '\\u004', '\\-a', 'z-', '+--', '\\t-\\r'],
)
const characterClass = fc
  .tuple(fc.constantFrom('[', '[^'), fc.array(inClass, { maxLength: 5 }))
  .map(([open, parts]) => `${open}${parts.join('')}]`)

const { pattern } = fc.letrec<{ pattern: string; part: string }>((tie) => ({
  part: fc.oneof(
    { maxDepth: 4, withCrossShrink: true },
    atom,
    characterClass,
    fc.constantFrom('^', '$', '\\b', '\\B'),
    fc
      .tuple(tie('part'), fc.constantFrom('*', '+', '?', '{0}', '{2}', '{1,3}', '{2,}', '*?', '+?', '??', '{0,2}?'))
      .map(([part, quantifier]) => `(?:${part})${quantifier}`),
    fc.tuple(atom, fc.constantFrom('*', '+', '?', '{2}', '{1,2}')).map((parts) => parts.join('')),
    fc
      .tuple(fc.constantFrom('(?=', '(?!', '(?<=', '(?<!', '(', '(?<n>', '(?:'), tie('pattern'))
      .map(([open, inner]) => `${open}${inner})`),
  ),
  pattern: fc
    .array(fc.array(tie('part'), { maxLength: 4 }), { minLength: 1, maxLength: 3 })
    .map((choices) => choices.map((parts) => parts.join('')).join('|')),
}))

const runs = howMany(1_000, 50_000)

describe('a pattern', () => {
  it('matches a text exactly where it does in JavaScript', () => {
    let compared = 0
    fc.assert(
      fc.property(pattern, fc.array(text, { minLength: 1, maxLength: 6 }), (source, texts) => {
        const expression = native(source)
        const test = linear(source)
        if (!expression) expect(test).toBeUndefined()
        if (!expression || !test) return
        compared++
        for (const one of texts) expect([source, one, test(one)]).toEqual([source, one, expression(one)])
      }),
      { numRuns: runs },
    )
    expect(compared).toBeGreaterThan(runs / 2)
  })

  it.each(spaces.map((space) => [space]))('treats %j as white space', (space) => {
    expect(linear('^\\s$')?.(space)).toBe(true)
    expect(linear('^\\S$')?.(space)).toBe(false)
  })

  it.each([
    ['(a)\\1', 'a backreference at character 4'],
    ['(?<n>a)\\k<n>', 'a backreference at character 8'],
    [`${'('.repeat(101)}a${')'.repeat(101)}`, 'more than 100 groups within each other at character 101'],
    ['(?=a)(?=b)(?=c)(?=d)(?=e)(?=f)(?=g)(?=h)(?=i)', 'more than 8 lookaheads or lookbehinds'],
  ])('%s is refused with its place', (source, why) => {
    expect(() => linearPatterns(most)(source)).toThrow(why)
  })

  it('has bounded costs, for any pattern and text', () => {
    fc.assert(
      fc.property(pattern, fc.array(text, { minLength: 1, maxLength: 6 }), (source, texts) => {
        let steps = 0
        let compiled: ReturnType<ReturnType<typeof linearPatterns>>
        try {
          compiled = linearPatterns(most)(source)
        } catch {
          return
        }
        const long = texts.join('').repeat(500)
        compiled.test(long, {
          spend: (paid) => {
            steps += paid
          },
        })
        expect(steps).toBeGreaterThan(0)
        // Limit of steps per character. Uncached work costs by the size of the pattern.
        expect(steps).toBeLessThanOrEqual(2_000 + long.length * (source.length + 20) * 9)
      }),
      { numRuns: howMany(20, 200) },
    )
  })

  it('is not passed to the native engine before its size is known, and property names are read once', () => {
    const read: string[] = []
    vi.stubGlobal(
      'RegExp',
      new Proxy(RegExp, {
        construct(target, [source, flags]: [string, string]) {
          read.push(source)
          return new target(source, flags)
        },
      }),
    )
    const compileAll = (sources: readonly string[]) => {
      const engine = linearPatterns(5_000)
      for (const source of sources) engine(source).test('a', free)
    }
    const word = fc.constantFrom('\\p{L}', '\\P{Lu}', '\\p{Script=Greek}', 'x', '\\u{1F600}', '\\w', '\\p{scx=Thai}')
    const many = fc
      .tuple(fc.array(word, { minLength: 1, maxLength: 20 }), fc.nat(6_000), fc.boolean())
      .map(([parts, times, isClass]) => (isClass ? `[${parts.join('').repeat(times)}]` : parts.join('').repeat(times)))
    fc.assert(
      fc.property(fc.array(many, { minLength: 1, maxLength: 4 }), (sources) => {
        read.length = 0
        expect(thrownBy(() => compileAll(sources))).toSatisfy((thrown) => thrown === undefined || thrown instanceof SchemaError)
        const named = read.filter((source) => /\\p\{/i.test(source))
        expect(named.filter((source) => !/^\^\\[pP]\{[\w=]+\}\$$/.test(source))).toEqual([])
        expect(new Set(named).size).toBe(named.length)
        expect(read.join('').length).toBeLessThan(6 * 5_000 * 16)
        const longest = read.flatMap((source) => source.match(/\[(?:\\.|[^\]\\])*/gs) ?? []).join('').length
        // The engine does not count brackets.
        expect(longest).toBeLessThan(5_000 * 16 * 1.1)
      }),
      { numRuns: howMany(60, 1_000) },
    )
    vi.unstubAllGlobals()
  })

  it('that is unused is freed, whatever it has matched', async () => {
    const used = async () => {
      await rid()
      return process.memoryUsage().arrayBuffers
    }
    const before = await used()
    for (let index = 0; index < 300; index++) expect(linear(`^${index}(?:a{4000}|[b-z]+)`)?.(`${index}b`)).toBe(true)
    // Each uses about 40 KB while it is in use.
    expect((await used()) - before).toBeLessThan(2_000_000)
  })

  it('has a limited cache of character classes, and works beyond it', () => {
    const letter = (index: number) => String.fromCodePoint(0x4e00 + index)
    // Each character is in two sets, and no other character is in both.
    const pairs = Array.from({ length: 900 }, (_, index) => `[${letter(index)}${letter(index + 1)}]`)
    const test = linearPatterns(most)(`^(?:${pairs.join('|')})*$`)
    let steps = 0
    const meter = {
      spend: (paid: number) => {
        steps += paid
      },
    }
    const whole = Array.from({ length: 900 }, (_, index) => letter(index)).join('')
    expect(test.test(whole, meter)).toBe(true)
    expect(test.test(`${whole}a`, meter)).toBe(false)
    steps = 0
    expect(test.test(whole, meter)).toBe(true)
    // An evicted class costs steps again.
    expect(steps).toBeGreaterThan(900 * 450)
  })

  it('evicts large cache entries, and continues', () => {
    const test = linear('[ab]*a[ab]{14}c')
    const word = Array.from({ length: 40_000 }, (_, index) => ((index * index + (index >> 3)) % 7 < 3 ? 'a' : 'b')).join('')
    expect(test?.(word)).toBe(false)
    expect(test?.(`${word}a${'b'.repeat(14)}c`)).toBe(true)
  })
})

function thrownBy(run: () => void): unknown {
  try {
    run()
    return undefined
  } catch (thrown) {
    return thrown
  }
}
