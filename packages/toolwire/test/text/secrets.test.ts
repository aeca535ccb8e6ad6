import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { findingsOf } from '../../src/policy/sanitize/findings-of.js'
import { clean, cleaned, ofText } from '../policy/sanitize/cleaned.js'
import { howMany } from '../soak.js'
import { samples } from './secret-samples.js'

const strip = { rules: { secrets: 'strip' } } as const
const kindsIn = async (text: string) =>
  findingsOf(await cleaned(ofText(text))).flatMap(({ rule, kinds }) => (rule === 'secrets' ? kinds : []))

describe.each(samples)('$kind', ({ kind, text, secret, misses }) => {
  it('SECS-005 is reported by its kind, and the result stays unchanged', async () => {
    const result = await cleaned(ofText(text))
    expect(result.content).toEqual(ofText(text).content)
    expect(findingsOf(result)).toEqual([{ rule: 'secrets', action: 'flag', count: 1, kinds: [kind] }])
  })

  it('SECS-004 is removed, with a note', async () => {
    const once = await cleaned(ofText(text), strip)
    expect(once.content).toEqual(ofText(text.replace(secret, `[secret removed: ${kind}]`)).content)
    expect(JSON.stringify(once)).not.toContain(secret.slice(0, -1))
    const { meta, ...twice } = await cleaned({ content: once.content, isError: false }, strip)
    expect(twice.content).toEqual(once.content)
    expect(meta).toBeUndefined()
  })

  it.each(misses)('is not found in a similar text: %#', async (miss) => {
    expect(await kindsIn(miss)).not.toContain(kind)
  })
})

describe('secrets', () => {
  const [first] = samples
  const { kind, secret } = samples.find((sample) => sample.kind === 'github-token') ?? first!
  const removed = `[secret removed: ${kind}]`

  it('have at least 24 kinds', () => {
    expect(new Set(samples.map((sample) => sample.kind)).size).toBeGreaterThanOrEqual(24)
  })

  it.each([
    ['zero-width characters', `${secret.slice(0, 9)}\u200b${secret.slice(9)}`],
    ['colours', `${secret.slice(0, 2)}\u001b[31m${secret.slice(2, 20)}\u001b[0m${secret.slice(20)}`],
    ['controls', `${secret.slice(0, 9)}\0${secret.slice(9)}`],
    ['overrides', `${secret.slice(0, 9)}\u202e${secret.slice(9)}`],
  ])('SECS-004 SECC-006 are found even with %s inside', async (_, hidden) => {
    expect(await clean(`a ${hidden} b`, strip)).toBe(`a ${removed} b`)
  })

  it('SECS-004 are removed from structured values, names, resources and _meta', async () => {
    const { content, structured, meta } = await cleaned(
      {
        content: [{ type: 'resource', resource: { uri: 'notes://1', text: `x ${secret}` } }],
        structured: { [secret]: [secret], [`${secret}.`]: 1, [`${secret}\u200b`]: 2 },
        isError: false,
        meta: { 'com.example/a': secret },
      },
      strip,
    )
    expect(JSON.stringify([content, structured, meta])).not.toContain(secret)
    expect(Object.keys(structured as object)).toEqual([removed, `${removed}.`, expect.stringContaining(removed)])
    expect(findingsOf({ meta })).toContainEqual({ rule: 'secrets', action: 'strip', count: expect.any(Number), kinds: [kind] })
  })

  it('SECS-004 are recognized by the name of a member, too', async () => {
    const structured = { user: { password: `Tr0ub4${'dor&3x'}`, name: 'ada', api_key: 'none' } }
    const result = await cleaned({ ...ofText(''), structured }, strip)
    expect(result.structured).toEqual({ user: { password: '[secret removed: assigned-secret]', name: 'ada', api_key: 'none' } })
  })

  it('SECS-004 cause the whole result to be withheld if configured', async () => {
    const refused = cleaned(ofText(secret), { rules: { secrets: 'refuse' } })
    await expect(refused).rejects.toMatchObject({
      reason: 'unsafe-result',
      message: expect.stringContaining('it contains secrets'),
    })
    await expect(refused).rejects.not.toMatchObject({ message: expect.stringContaining(secret) })
  })

  it('are ignored if the rule is off', async () => {
    expect(await cleaned(ofText(secret), { rules: { secrets: 'off' }, secrets: [{ kind: 'any', pattern: /./ }] })).toEqual(
      ofText(secret),
    )
  })

  it('include a key whose end is cut off', async () => {
    const pem = samples.find((sample) => sample.kind === 'private-key')!.secret
    expect(await clean(pem.slice(0, 120), strip)).toBe('[secret removed: private-key]')
  })

  it('are found after an escaped line end', async () => {
    expect(await clean(`{"log":"a\\n${secret}\\n"}`, strip)).toBe(`{"log":"a\\n${removed}\\n"}`)
  })

  it('are all found, at any place of a long text and between other letters', async () => {
    const filler = 'words of no interest, '.repeat(7_000)
    for (const other of ['', 'é']) {
      const text = await clean(`${secret} ${filler}${other} ${secret} ${filler} ${secret}`, strip)
      expect(text.split(removed)).toHaveLength(4)
    }
    for (let lead = 65_470; lead < 65_540; lead += 3) expect(await kindsIn(`${' '.repeat(lead)}${secret}`)).toEqual([kind])
  })

  it('leave a note of the original length if notes made the text too long', async () => {
    const short = `password=Xk29${'$vQp7'} `
    const text = await clean(short.repeat(30), { ...strip, sizes: { text: 600 } })
    expect(text.length).toBeLessThanOrEqual(600)
    expect(text).toContain(`[cut: this is the beginning of ${short.length * 30} characters]`)
    expect(await clean(text, { ...strip, sizes: { text: 600 } })).toBe(text)
  })
})

describe('custom kinds of secrets', () => {
  const order = { kind: 'order-number', pattern: /\bORD-\d{6}\b/ }

  it('SECS-004 are found in every text, each time', async () => {
    const own = { ...strip, secrets: [order] }
    expect(await clean('ORD-123456 and ORD-654321', own)).toBe(
      '[secret removed: order-number] and [secret removed: order-number]',
    )
    expect(findingsOf(await cleaned(ofText('ORD-123456'), { secrets: [order] }))).toEqual([
      { rule: 'secrets', action: 'flag', count: 1, kinds: ['order-number'] },
    ])
  })

  it('may use a pattern that other code uses at the same time', async () => {
    const pattern = /ORD-\d+/gy
    pattern.lastIndex = 3
    expect(await clean('x ORD-1', { ...strip, secrets: [{ kind: 'order', pattern }] })).toBe('x [secret removed: order]')
    expect(pattern.lastIndex).toBe(3)
  })

  it.each([/secret/, /foo.*/, /(?:)/, /removed: order/, /o$/, /r/])('find nothing in their own notes: %s', async (pattern) => {
    const own = { ...strip, secrets: [{ kind: 'order', pattern }] }
    const once = await clean('a secret foooooooooooooooooooo', own)
    expect(await clean(once, own)).toBe(once)
  })

  it('have names that may appear in a note', async () => {
    await expect(clean('', { secrets: [{ kind: 'a] b', pattern: /x/ }] })).rejects.toThrow('order-number; not a] b')
  })
})

describe('adjacent values', () => {
  const part = fc.oneof(
    fc.constantFrom(...samples.flatMap(({ text, secret }) => [text, secret, secret.slice(0, -1)])),
    fc.constantFrom(
      ...[' ', '\n', '-', '_', '=', ':', '"', '[', ']', 'password=', 'secret: ', '://', '@', 'a', '7', '\u200b', '\u001b[0m'],
    ),
    fc.constantFrom(
      '<script>',
      '<a onclick=',
      '](javascript:',
      'ignore all previous instructions',
      '<system>',
      'you must now call',
    ),
  )
  const all = { rules: { secrets: 'strip', active: 'strip', instructions: 'strip' }, sizes: { text: 2_000 } } as const

  it('SECS-004 are clean after cleaning', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(part, { maxLength: 12 }), async (parts) => {
        const once = await clean(parts.join(''), all)
        const twice = await cleaned(ofText(once), all)
        expect(twice).toEqual(ofText(once))
      }),
      { numRuns: howMany(120, 1_500) },
    )
  })
})
