import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { mainThreadMs } from '../../../../bench/src/promises/loop-watch.js'
import { EventDecoder, EventError, encodeComment, encodeEvent, type IncomingEvent } from '../../src/jsonrpc/events.js'
import { expectWithin } from '../soak.js'

const encode = (text: string) => new TextEncoder().encode(text)

function decode(chunks: Uint8Array[], limit?: number): IncomingEvent[] {
  const decoder = new EventDecoder({ limit })
  return chunks.flatMap((chunk) => decoder.push(chunk))
}

function refusal(chunks: Uint8Array[], limit?: number): string {
  try {
    decode(chunks, limit)
  } catch (thrown) {
    if (thrown instanceof EventError) return thrown.code
    throw thrown
  }
  throw new Error('was accepted')
}

/** The algorithm of the standard on a whole text, without limits or chunks. */
function reference(stream: string): IncomingEvent[] {
  const events: IncomingEvent[] = []
  const text = stream.replace(/^\ufeff/, '').replace(/\r\n?/g, '\n')
  const lines = text.split('\n').slice(0, -1)
  let [event, data, id]: [string, string, string] = ['', '', '']
  for (const line of lines) {
    if (line === '') {
      if (data !== '') events.push({ event: event || 'message', data: data.slice(0, -1), id })
      event = data = ''
      continue
    }
    const [, field = '', value = ''] = /^([^:]*)(?:: ?(.*))?$/s.exec(line) ?? []
    if (field === 'event') event = value
    if (field === 'data') data += `${value}\n`
    if (field === 'id' && !value.includes('\0')) id = value
  }
  return events
}

const piece = fc.constantFrom(
  ...[
    'data',
    'event',
    'id',
    'retry',
    ':',
    ': ',
    ' ',
    '\n',
    '\n\n',
    '\r',
    '\r\n',
    '\r\n\r\n',
    '\r\r',
    '\0',
    '\ufeff',
    'é😀',
    '12',
    'a',
    'data: ',
    'data:x\n',
    'id:7\n',
  ],
)
const stream = fc.array(piece, { minLength: 5, maxLength: 60, size: 'max' }).map((pieces) => pieces.join(''))

describe('the decoder', () => {
  it('joins thousands of lines of one event, and counts lines without an event', () => {
    const lines = Array.from({ length: 5_000 }, (_, at) => (at % 3 === 0 ? '' : String(at)))
    const decoder = new EventDecoder()
    const text = `: comment\n\nid: 1\n\n${lines.map((line) => `data:${line}\n`).join('')}`
    expect(decoder.push(encode(text))).toEqual([])
    expect(decoder.idleBytes).toBe(': comment'.length + 'id: 1'.length + 4 * 16)
    expect(decoder.push(encode('\n'))).toEqual([{ event: 'message', data: lines.join('\n'), id: '1' }])
    expect(decoder.idleBytes).toBeLessThanOrEqual(16)
  })

  it('matches the algorithm of the standard for any chunks', () => {
    let events = 0
    fc.assert(
      fc.property(stream, fc.integer({ min: 1, max: 60 }), (text, size) => {
        const bytes = encode(text)
        const chunks = Array.from({ length: Math.ceil(bytes.length / size) }, (_, at) =>
          bytes.subarray(at * size, (at + 1) * size),
        )
        const expected = reference(text)
        events += expected.length
        expect(decode(chunks)).toEqual(expected)
      }),
      { numRuns: 10_000, seed: 11 },
    )
    expect(events).toBeGreaterThan(5_000)
  })

  it.each([
    '\ufeffevent: ping\r\nid: 1\r\ndata: {"a":"é😀"}\r\n\r\ndata\r\n\r\n',
    'data: a\rdata: b\r\rid: 2\nretry: 10\ndata:\n\n: comment\n\nevent: x\n\ndata: c\n\n',
    '\r\n\r\ndata:  two spaces\n\nid\ndata: d\r\n\ndata: unfinished\n',
  ])('reads the same events at every split point of %j', (text) => {
    const bytes = encode(text)
    const expected = reference(text)
    expect(expected.length).toBeGreaterThan(0)
    for (let at = 0; at <= bytes.length; at++) {
      expect(decode([bytes.subarray(0, at), new Uint8Array(0), bytes.subarray(at)]), `cut at ${at}`).toEqual(expected)
    }
    expect(decode(Array.from(bytes, (byte) => Uint8Array.of(byte)))).toEqual(expected)
  })

  it('remembers the last id, even of an event without data', () => {
    const decoder = new EventDecoder()
    expect(decoder.push(encode('id: 1\ndata: a\n\ndata: b\n\nid: 2\n\nid: 3\0\n'))).toMatchObject([{ id: '1' }, { id: '1' }])
    expect(decoder.lastId).toBe('2')
    decoder.push(encode('id: 4\ndata: cut off'))
    expect(decoder.lastId, 'an event that never arrived whole must be sent again').toBe('2')
  })

  it('reports an event with empty data, and reports it at once if its blank line ends in CR', () => {
    expect(decode([encode('id: 5\nretry: 1500\ndata:\n\r')])).toEqual([{ event: 'message', data: '', id: '5' }])
  })

  it('reports the retry time at once, even without an event', () => {
    const decoder = new EventDecoder()
    expect(decoder.retryMs).toBeUndefined()
    for (const [text, retryMs] of [
      ['retry: 100\n', 100],
      ['\n', 100],
      ['id: 1\nretry: 200\n\n', 200],
      ['data: a\n\nretry: x\n\n', 200],
      ['retry: 300\ndata: b\n\n', 300],
    ] as const) {
      decoder.push(encode(text))
      expect(decoder.retryMs, text).toBe(retryMs)
    }
  })

  it.each(['-1', '1.5', '1e3', '', ' 1', 'x'])('ignores a retry of %j', (retry) => {
    const decoder = new EventDecoder()
    decoder.push(encode(`retry: ${retry}\ndata: a\n\n`))
    expect(decoder.retryMs).toBeUndefined()
  })

  it('refuses a line or an event over the limit', () => {
    expect(decode([encode(`data:${'x'.repeat(95)}\n\n`)], 100)).toHaveLength(1)
    expect(refusal([encode(`data:${'x'.repeat(96)}`)], 100)).toBe('too-large')
    expect(refusal([encode(`data:${'x'.repeat(96)}\n\n`)], 100)).toBe('too-large')
    expect(refusal(Array(200).fill(encode('x')), 100)).toBe('too-large')
    expect(refusal(Array(200).fill(encode('data\n')), 100)).toBe('too-large')
    expect(decode(Array(200).fill(encode('data: 0123456789\n\n')), 100)).toHaveLength(200)
    expect(refusal([encode('x'.repeat(4 * 1024 * 1024 + 1))])).toBe('too-large')
  })

  it('BASE-015 refuses bytes that are not UTF-8 instead of replacing them', () => {
    expect(refusal([Uint8Array.of(...encode('data: "'), 0xff, ...encode('"\n\n'))])).toBe('utf8')
  })

  it.each([
    ['one line of 4 MiB in single bytes', 'x'.repeat(4 * 1024 * 1024 - 8), 1],
    ['a million lines in one chunk', 'a\n'.repeat(1_000_000), 4 * 1024 * 1024],
  ])('takes linear time for %s', (_, text, size) => {
    const bytes = encode(`${text}\ndata: a\n\n`)
    const decoder = new EventDecoder()
    const before = mainThreadMs()
    const events: IncomingEvent[] = []
    for (let at = 0; at < bytes.length; at += size) events.push(...decoder.push(bytes.subarray(at, at + size)))
    expect(events).toHaveLength(1)
    expectWithin(mainThreadMs() - before, 4_000)
  })
})

describe('the encoder', () => {
  it('writes the given fields', () => {
    expect(encodeEvent({ data: '{}' })).toBe('data: {}\n\n')
    expect(encodeEvent({ event: 'message', id: '1', retry: 0, data: '' })).toBe('event: message\nid: 1\nretry: 0\ndata: \n\n')
    expect(encodeComment()).toBe(': \n\n')
    expect(decode([encode(encodeComment('a\ndata: b\r\rdata: c') + encodeEvent({ data: 'd' }))])).toHaveLength(1)
  })

  it('writes data with any line breaks so that it is read back unchanged', () => {
    const data = fc.array(fc.constantFrom('a', ' ', ':', '\n', 'é', '\0', '{"b":1}')).map((parts) => parts.join(''))
    const event = fc.record({ data, id: fc.constantFrom('', '7', ' a:b'), event: fc.constantFrom('message', 'x y') })
    fc.assert(
      fc.property(event, (sent) => {
        expect(decode([encode(encodeEvent(sent))])).toEqual([sent])
      }),
    )
    expect(decode([encode(encodeEvent({ data: 'a\rb\r\nc' }))])).toMatchObject([{ data: 'a\nb\nc' }])
  })

  it.each(['\n', '\r', '\0', 'a\r\ndata: b'])('refuses an id or a name that contains %j', (text) => {
    expect(() => encodeEvent({ id: text })).toThrow(TypeError)
    expect(() => encodeEvent({ event: text })).toThrow(TypeError)
  })

  it.each([-1, 1.5, Number.NaN])('refuses a retry time of %s', (retry) => {
    expect(() => encodeEvent({ retry })).toThrow(TypeError)
  })
})
