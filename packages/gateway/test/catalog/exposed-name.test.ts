import fc from 'fast-check'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { howMany } from '../../../toolwire/test/soak.js'
import { exposedName, isToolName } from '../../src/catalog/names/exposed-name.js'

/** Deliberately similar texts, and arbitrary ones. */
const part = fc.oneof(
  fc.array(fc.constantFrom('a', 'b', '_', '__', '.', '-', 'é', ' '), { maxLength: 8 }).map((parts) => parts.join('')),
  fc.string({ unit: 'binary', maxLength: 100 }),
  fc
    .tuple(fc.string({ maxLength: 5 }), fc.string({ minLength: 24, maxLength: 24, unit: fc.constantFrom(...'0123456789abcdef') }))
    .map(([text, digest]) => `${text}_${digest}`),
)

afterEach(() => void vi.restoreAllMocks())

describe('the name of a tool for callers', () => {
  it('shows the beginning of a long name, and reads no more of it', () => {
    const replaced = vi.spyOn(String.prototype, 'replaceAll')
    const exposed = exposedName('files', '/'.repeat(100_000))
    const lengths = replaced.mock.contexts.map((text) => String(text).length)
    replaced.mockRestore()
    expect(lengths).toEqual([128])
    expect(exposed).toMatch(/^files_{34}_[0-9a-f]{24}$/)
    expect(exposedName('files', '/'.repeat(100_001))).not.toBe(exposed)
    expect(exposedName(false, '\u{1f600}'.repeat(100))).toMatch(/^_{39}_[0-9a-f]{24}$/)
  })

  it('differs for each two tools, whatever their names', () => {
    const pair = fc.tuple(part, part)
    fc.assert(
      fc.property(pair, pair, (one, other) => {
        const same = one[0] === other[0] && one[1] === other[1]
        expect(exposedName(...one) === exposedName(...other)).toBe(same)
      }),
      { numRuns: howMany(800, 20_000) },
    )
  })

  it('differs if the border between the two names has moved', () => {
    const text = fc.array(fc.constantFrom('a', '_'), { minLength: 2, maxLength: 10 }).map((letters) => letters.join(''))
    fc.assert(
      fc.property(text, fc.nat(10), fc.nat(10), (letters, one, other) => {
        const cut = (at: number) => [letters.slice(0, at % letters.length), letters.slice(at % letters.length)] as const
        const same = one % letters.length === other % letters.length
        expect(exposedName(...cut(one)) === exposedName(...cut(other))).toBe(same)
      }),
      { numRuns: howMany(200, 5_000) },
    )
  })

  it('never equals a generated name of another, however its server calls its tools', () => {
    const exposed = exposedName('p', 'é')
    expect(exposed.startsWith('p__')).toBe(true)
    expect(exposedName('p', exposed.slice('p__'.length))).not.toBe(exposed)
  })

  it('is valid for every model: at most 64 plain characters, the same each time', () => {
    fc.assert(
      fc.property(part, part, (prefix, name) => {
        const exposed = exposedName(prefix, name)
        expect(exposed).toMatch(/^[A-Za-z0-9_.-]{1,64}$/)
        expect(isToolName(exposed)).toBe(true)
        expect(exposedName(prefix, name)).toBe(exposed)
      }),
    )
  })

  it('joins both names unchanged if that is unambiguous', () => {
    expect(exposedName('files', 'read_file')).toBe('files__read_file')
    expect(exposedName('files', 'a__b')).toBe('files__a__b')
    expect(exposedName('My files', 'read')).toMatch(/^My_files__read_[0-9a-f]{24}$/)
    expect(exposedName(false, 'read')).toBe('read')
    expect(exposedName(false, 'read it')).toMatch(/^read_it_[0-9a-f]{24}$/)
  })
})
