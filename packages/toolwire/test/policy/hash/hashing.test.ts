import { createHash, createHmac } from 'node:crypto'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { type Hashing, hmacSha256, nativeHashing, portableHashing } from '../../../src/policy/hash/hashing.js'
import { howMany } from '../../soak.js'

const native = nativeHashing()
const both: [string, Hashing][] = [
  ['for all runtimes', portableHashing],
  ...(native ? [['of Node', native] as [string, Hashing]] : []),
]
const bytes = (hex: string) => Uint8Array.from(Buffer.from(hex, 'hex'))
const repeated = (byte: string, count: number) => bytes(byte.repeat(count))

it('are those of Node here, because they are several times faster', () => expect(native).toBeDefined())

describe.each(both)('SHA-256 %s', (_, hashing) => {
  // FIPS 180-2, appendix B
  it.each([
    ['', 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855'],
    ['abc', 'ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad'],
    [
      'abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq',
      '248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1',
    ],
    ['a'.repeat(1_000_000), 'cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0'],
  ])('matches the standard: %#', (text, digest) => {
    expect(hashing.hex(text)).toBe(digest)
    const written = new Uint8Array(40).fill(1)
    hashing.write(new TextEncoder().encode(text), written.subarray(4))
    expect(Buffer.from(written).toString('hex')).toBe(`01010101${digest}01010101`)
  })

  it('matches another implementation at every length and alignment', () => {
    const random = Uint8Array.from({ length: 310 }, (_, index) => (index * 167) % 256)
    for (let length = 0; length <= 300; length++) {
      const part = random.subarray(length % 7, (length % 7) + length)
      expect(hashing.hex(part)).toBe(createHash('sha256').update(part).digest('hex'))
    }
  })

  it('matches another implementation on any text', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 300 }), (text) => {
        expect(hashing.hex(text)).toBe(createHash('sha256').update(text).digest('hex'))
      }),
      { numRuns: howMany(30, 300) },
    )
  })
})

describe.each(both)('HMAC-SHA-256 %s', (_, hashing) => {
  // RFC 4231, sections 4.2 to 4.8, without the truncated one
  it.each([
    [repeated('0b', 20), 'Hi There', 'b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7'],
    [
      new TextEncoder().encode('Jefe'),
      'what do ya want for nothing?',
      '5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843',
    ],
    [
      repeated('aa', 131),
      'Test Using Larger Than Block-Size Key - Hash Key First',
      '60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54',
    ],
    [
      repeated('aa', 131),
      'This is a test using a larger than block-size key and a larger than block-size data. The key needs to be hashed before being used by the HMAC algorithm.',
      '9b09ffa71b942fcb27635fbcd5b0e944bfdc63644f0713938a7f51535c3a35e2',
    ],
  ])('matches the RFC: %#', (key, text, digest) => {
    expect(hmacSha256(key, hashing)(text)).toBe(digest)
  })

  it('matches another implementation on any key and text, short after long', () => {
    const text = fc.string({ unit: 'binary', maxLength: 3_000 })
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 200 }), fc.array(text, { maxLength: 4 }), (key, texts) => {
        const hmac = hmacSha256(key, hashing)
        for (const one of texts) expect(hmac(one)).toBe(createHmac('sha256', key).update(one).digest('hex'))
      }),
      { numRuns: howMany(20, 200) },
    )
  })
})
