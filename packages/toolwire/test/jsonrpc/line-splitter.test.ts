import { describe, expect, it } from 'vitest'
import { LineSplitter, type SplitLine } from '../../src/jsonrpc/line-splitter.js'
import { expectWithin } from '../soak.js'

const encode = (text: string) => new TextEncoder().encode(text)
const show = (line: SplitLine) => (line === 'oversize' ? '(oversize)' : new TextDecoder().decode(line))

function split(chunks: Uint8Array[], limit?: number): string[] {
  const splitter = new LineSplitter({ limit })
  return [...chunks.flatMap((chunk) => splitter.push(chunk)), ...splitter.end()].map(show)
}

function message(at: number): string {
  return JSON.stringify({ jsonrpc: '2.0', id: at, method: 'é😀'.repeat(at % 5), params: { text: 'x\n'.repeat(at % 7) } })
}

describe('lines', () => {
  it('STDIO-001 are one message each, for any chunks', () => {
    const messages = Array.from({ length: 200 }, (_, at) => message(at))
    const bytes = encode(messages.map((text, at) => text + (at % 3 ? '\n' : '\r\n')).join(''))
    for (let at = 0; at <= bytes.length; at++) {
      const lines = split([bytes.subarray(0, at), bytes.subarray(at)])
      if (lines.length !== 200 || lines.some((line, index) => line !== messages[index]))
        expect(lines, `cut at ${at}`).toEqual(messages)
    }
    expect(split(Array.from(bytes, (byte) => Uint8Array.of(byte)))).toEqual(messages)
  })

  it('STDIO-007 may end in CRLF or be blank', () => {
    expect(split([encode('a\r\n\r\n\n \t \nb\r\r\nc')])).toEqual(['a', 'b\r', 'c'])
    expect(split([encode('a\r'), encode('\nb\r')])).toEqual(['a', 'b'])
  })

  it('STDIO-007 beyond the limit are reported once, and the next one is read', () => {
    const whole = encode('12345\n123456\n1\n1234567890\r\n12\n')
    const expected = ['12345', '(oversize)', '1', '(oversize)', '12']
    expect(split([whole], 5)).toEqual(expected)
    for (let size = 1; size < whole.length; size++) {
      const chunks = Array.from({ length: Math.ceil(whole.length / size) }, (_, at) => whole.slice(at * size, (at + 1) * size))
      expect(split(chunks, 5), `chunks of ${size}`).toEqual(expected)
    }
  })

  it('STDIO-007 beyond the limit are reported before they end', () => {
    const splitter = new LineSplitter({ limit: 5 })
    expect(splitter.push(encode('123456'))).toEqual(['oversize'])
    expect(splitter.push(encode('7'.repeat(1_000)))).toEqual([])
    expect(splitter.push(encode('\n1\n')).map(show)).toEqual(['1'])
  })

  it('have a limit of 4 MiB by default', () => {
    const longest = 'x'.repeat(4 * 1024 * 1024)
    expect(split([encode(`${longest}\n${longest}y\n`)]).map((line) => line.length)).toEqual([longest.length, '(oversize)'.length])
  })

  it('are views of their chunk, and copies if they span chunks', () => {
    const splitter = new LineSplitter()
    const chunk = encode('one\ntw')
    const [one] = splitter.push(chunk)
    expect(one).toHaveProperty('buffer', chunk.buffer)
    const [two] = splitter.push(encode('o\nthr'))
    splitter.push(encode('ee\n'))
    expect(show(two!)).toBe('two')
  })

  it.each([
    ['one byte', 1, 15_000],
    ['64 KiB', 65_536, 5_000],
  ])('of 4 MiB in chunks of %s take linear time', (_, size, most) => {
    const line = new Uint8Array(4 * 1024 * 1024).fill(0x61)
    const splitter = new LineSplitter()
    const before = performance.now()
    for (let at = 0; at < line.length; at += size) splitter.push(line.subarray(at, at + size))
    expect(splitter.push(encode('\n'))).toHaveProperty([0, 'length'], line.length)
    expectWithin(performance.now() - before, most)
  })
})
