import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { ByteBuffer } from '../../src/jsonrpc/byte-buffer.js'

const bytesOf = (length: number, from = 0) => Uint8Array.from({ length }, (_, at) => (from + at) % 251)

describe('a byte buffer', () => {
  it('keeps all bytes in order, for any chunks, even if the chunks are overwritten later', () => {
    const lengths = fc.array(fc.oneof(fc.nat(3), fc.nat(300), fc.nat(400_000)), { maxLength: 30 })
    fc.assert(
      fc.property(lengths, fc.nat(30), (cut, looked) => {
        const buffer = new ByteBuffer()
        let length = 0
        for (const [at, size] of cut.entries()) {
          const chunk = bytesOf(size, length)
          buffer.append(chunk)
          chunk.fill(255)
          length += size
          expect(buffer.length).toBe(length)
          if (at === looked) expect(Buffer.compare(buffer.bytes, bytesOf(length))).toBe(0)
        }
        expect(Buffer.compare(buffer.take(), bytesOf(length))).toBe(0)
        expect([buffer.length, buffer.take().length]).toEqual([0, 0])
      }),
    )
  })

  it('does not change bytes that were taken when more arrive', () => {
    const buffer = new ByteBuffer()
    buffer.append(bytesOf(10))
    const taken = buffer.take()
    buffer.append(bytesOf(20, 100))
    expect(Buffer.compare(taken, bytesOf(10))).toBe(0)
  })

  it('discards bytes on request', () => {
    const buffer = new ByteBuffer()
    buffer.append(bytesOf(1_000))
    buffer.clear()
    buffer.append(bytesOf(2, 7))
    expect([...buffer.take()]).toEqual([7, 8])
  })
})
