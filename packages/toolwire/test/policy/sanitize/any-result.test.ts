import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { Json } from '../../../src/json.js'
import { findingsOf } from '../../../src/policy/sanitize/findings-of.js'
import type { ToolResult } from '../../../src/tools/result.js'
import { expectWithin, howMany } from '../../soak.js'
import { cleaned, ofText } from './cleaned.js'

const all = { rules: { secrets: 'strip', active: 'strip', instructions: 'strip' } } as const
const text = fc.oneof(
  fc.string({ unit: 'binary' }),
  fc.constantFrom(
    '\ud800',
    '\udc00x',
    'k'.repeat(5_000),
    '__proto__',
    'constructor',
    'toString',
    '',
    '<script>',
    'password',
    'a\u200b',
  ),
)
const anything = fc.jsonValue({ maxDepth: 6, stringUnit: 'binary' })
function nestedBy(depth: number): Json {
  let value: Json = 'x'
  for (let n = 0; n < depth; n++) value = n % 2 ? [value] : { ['__proto__']: value, a: value === 'x' ? 1 : 2 }
  return value
}
// A message nests 64 levels at most, and so does whatever comes from a server.
const nested = fc.integer({ min: 1, max: 64 }).map(nestedBy)
const named = fc.array(fc.tuple(text, fc.oneof(text, anything)), { maxLength: 6 }).map((entries) => Object.fromEntries(entries))
const block = fc.oneof(named, anything, fc.record({ type: fc.constant('text'), text }))
const results = fc.record({
  content: fc.array(block, { maxLength: 5 }),
  structured: fc.oneof(anything, nested, named),
  isError: fc.boolean(),
  meta: named,
})

describe('whatever a server sends', () => {
  it('SECS-004 SECC-003 is cleaned without a throw, and is clean after it has been cleaned', async () => {
    await fc.assert(
      fc.asyncProperty(results, async (answer) => {
        const once = await cleaned(answer as ToolResult, all) // strangers send anything
        const twice = await cleaned({ ...once }, all)
        expect(twice.content).toEqual(once.content)
        expect(twice.structured).toEqual(once.structured)
        expect(JSON.stringify(once).isWellFormed()).toBe(true)
      }),
      { numRuns: howMany(40, 400) },
    )
  })

  it.each([65, 3_000, 1_000_000])('is refused as a whole where a handler nests it %i deep', async (depth) => {
    const answer = { content: [], structured: nestedBy(depth), isError: false }
    await expect(cleaned(answer, all)).rejects.toMatchObject({ reason: 'unsafe-result' })
  })

  const letters = fc.constantFrom(
    ...[
      'مرحبا',
      'می‌خواهم',
      'שָׁלוֹם',
      'नमस्ते',
      'क्‍ष',
      'क्‌ष',
      '👩‍👩‍👧‍👦',
      '❤️‍🔥',
      '👨🏽‍💻',
      '🏳️‍🌈',
      '🇳🇿',
      '🏴󠁧󠁢󠁷󠁬󠁳󠁿',
      '1️⃣',
      '#️⃣',
      '日本語',
      'naïve',
    ],
  )
  it('SECC-003 keeps letters of all scripts and emoji as they are', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(letters), async (words) => {
        const answer = { ...ofText(words.join(' ')), structured: { [words.join('')]: words } }
        expect(await cleaned(answer, all)).toEqual(answer)
      }),
      { numRuns: howMany(30, 300) },
    )
  })
})

describe('findingsOf', () => {
  const said = [{ rule: 'bidi', action: 'strip', count: 2 }]
  it('SECS-005 reads what was found, from results as they are called and as they travel', async () => {
    expect(findingsOf(await cleaned(ofText('a\u202eb\u202ec')))).toEqual(said)
    expect(findingsOf({ _meta: { 'dev.toolwire/findings': said } })).toEqual(said)
    expect(findingsOf(ofText('fine'))).toEqual([])
  })

  it.each([
    null,
    'x',
    {},
    [1, null, {}, { rule: 'bidi' }, { rule: 1, action: 'strip', count: 1 }],
  ])('reads nothing in %j', (other) => {
    expect(findingsOf({ meta: { 'dev.toolwire/findings': other } })).toEqual([])
  })
})

describe('time', () => {
  const mebibyte = 1024 * 1024
  it.each([
    ...[
      'password=',
      'secret: ',
      '<a onload=',
      '<script ',
      '=javascript:',
      '=data:text/html,',
      'postgres://a:b1c@',
      '-----BEGIN PRIVATE KEY-----',
    ],
    ...['eyJh.', '.sk-', '![](http', 'ignore all ', 'you must ', '<svg ', 'o', '://', 'x@', 'ghp_', '<!-- ', '<img ?'],
  ])('takes at most 3 s for 1 MiB of %s', async (piece) => {
    const start = process.cpuUsage() // other work on the machine does not count
    await cleaned(ofText(piece.repeat(mebibyte / piece.length)), all)
    expectWithin(process.cpuUsage(start).user / 1_000, 3_000)
  })
})
