import { describe, expect, it } from 'vitest'
import { type InvalidMessage, readMessage } from '../../src/jsonrpc/read-message.js'

const read = (value: unknown) => readMessage(JSON.stringify(value))

function invalid(text: string | Uint8Array): InvalidMessage {
  const message = readMessage(text)
  if (message.kind !== 'invalid') throw new Error(`was read as a ${message.kind}`)
  return message
}

const summary = ({ error, id, about }: InvalidMessage) => ({ code: error.code, id, about })

describe('a valid message', () => {
  it.each([1, 0, -1, Number.MAX_SAFE_INTEGER, '', 'a', '1'])('may be a request with id %j', (id) => {
    const request = { jsonrpc: '2.0', id, method: 'tools/call', params: { a: 1 } }
    expect(read(request)).toEqual({ kind: 'request', request })
  })

  it('BASE-023 may have an id beyond 2^53 or a very long string id', () => {
    const long = 'x'.repeat(4_096)
    expect(readMessage('{"jsonrpc":"2.0","id":9007199254740993,"method":"a"}')).toMatchObject({
      request: { id: 9007199254740993n },
    })
    expect(read({ jsonrpc: '2.0', id: long, method: 'a' })).toMatchObject({ request: { id: long } })
  })

  it('may be a notification', () => {
    const notification = { jsonrpc: '2.0', method: 'notifications/initialized' }
    expect(read(notification)).toEqual({ kind: 'notification', notification })
  })

  it.each([
    { jsonrpc: '2.0', id: 1, result: {} },
    { jsonrpc: '2.0', id: 'a', error: { code: -1, message: '', data: null } },
    { jsonrpc: '2.0', id: null, error: { code: -1, message: 'no' } },
    { jsonrpc: '2.0', error: { code: -1, message: 'no' } },
  ])('may be a response: %j', (response) => {
    expect(read(response)).toEqual({ kind: 'response', response })
  })
})

describe('an invalid message', () => {
  it.each(['1.0', '2', 2, 2.1, null, undefined, ['2.0']])('BASE-001 has jsonrpc %j', (jsonrpc) => {
    const message = invalid(JSON.stringify({ jsonrpc, id: 7, method: 'tools/call' }))
    expect(summary(message)).toEqual({ code: -32600, id: 7, about: 'request' })
  })

  it.each(['null', '1.5', 'true', '{}', '[1]', '1e20', '1e-1'])('BASE-002 has the id %s', (id) => {
    const message = invalid(`{"jsonrpc":"2.0","id":${id},"method":"tools/call"}`)
    expect(summary(message)).toEqual({ code: -32600, id: undefined, about: 'request' })
  })

  it('has an id, or a progress token, longer than 4,096 characters', () => {
    const long = 'x'.repeat(4_097)
    const call = { jsonrpc: '2.0', method: 'a' }
    expect(summary(invalid(JSON.stringify({ ...call, id: long })))).toEqual({ code: -32600, id: undefined, about: 'request' })
    expect(summary(invalid(JSON.stringify({ jsonrpc: '2.0', id: long, result: {} })))).toMatchObject({ about: 'response' })
    const tokened = { ...call, id: 1, params: { _meta: { progressToken: long } } }
    expect(summary(invalid(JSON.stringify(tokened)))).toEqual({ code: -32602, id: 1, about: 'request' })
  })

  it('BASE-002 has the id -0, which would be returned as 0', () => {
    expect(invalid('{"jsonrpc":"2.0","id":-0,"method":"a"}').error.code).toBe(-32600)
  })

  it.each([
    { id: 1, result: {}, error: { code: 1, message: '' } },
    { id: 1, result: null, error: { code: 1, message: '' } },
    { id: 1, result: {}, error: null },
  ])('BASE-006 is a response with both members: %j', (members) => {
    const message = invalid(JSON.stringify({ jsonrpc: '2.0', ...members }))
    expect(summary(message)).toEqual({ code: -32600, id: 1, about: 'response' })
  })

  it('BASE-006 is a response with neither member', () => {
    expect(summary(invalid('{"jsonrpc":"2.0","id":1}'))).toEqual({ code: -32600, id: 1, about: 'unknown' })
  })

  it.each([
    [null],
    ['no'],
    [{}],
    [{ code: 1 }],
    [{ code: 1.5, message: '' }],
    [{ code: '1', message: '' }],
    [{ code: 1, message: 2 }],
  ])('BASE-007 has an error of %j', (error) => {
    const message = invalid(JSON.stringify({ jsonrpc: '2.0', id: 1, error }))
    expect(summary(message)).toEqual({ code: -32600, id: 1, about: 'response' })
  })

  it.each([
    ['a result that is no object', { id: 1, result: [] }, { id: 1, about: 'response' }],
    ['a result for nobody', { id: null, result: {} }, { id: undefined, about: 'response' }],
    ['a result for a fraction', { id: 1.5, result: {} }, { id: undefined, about: 'response' }],
    ['an error for a fraction', { id: 1.5, error: { code: 1, message: '' } }, { id: undefined, about: 'response' }],
    ['a method that is no string', { id: 1, method: 5 }, { id: 1, about: 'unknown' }],
    ['a call that is a response too', { id: 1, method: 'a', result: {} }, { id: 1, about: 'request' }],
  ])('%s', (_, members, expected) => {
    const message = invalid(JSON.stringify({ jsonrpc: '2.0', ...members }))
    expect(summary(message)).toEqual({ code: -32600, ...expected })
  })

  it.each([
    null,
    [],
    [1],
    'a',
    1,
    false,
  ])('has params %j; a request gets an error with its id, and a notification gets none', (params) => {
    const call = { jsonrpc: '2.0', method: 'tools/call', params }
    expect(summary(invalid(JSON.stringify({ ...call, id: 3 })))).toEqual({ code: -32602, id: 3, about: 'request' })
    expect(summary(invalid(JSON.stringify(call)))).toEqual({ code: -32602, id: undefined, about: 'notification' })
  })
})

describe('an unparsable text', () => {
  it('BASE-011 is a parse error, while a message of the wrong structure is an invalid request', () => {
    expect(invalid('{').error.code).toBe(-32700)
    expect(invalid('{"jsonrpc":"2.0","id":1}').error.code).toBe(-32600)
    for (const text of ['1', 'null', '"a"', 'true']) expect(invalid(text).error.code).toBe(-32600)
  })

  it('BASE-015 may be a 0xFF inside a string', () => {
    const text = new TextEncoder().encode('{"jsonrpc":"2.0","id":1,"method":"?"}')
    const broken = text.map((byte) => (byte === 0x3f ? 0xff : byte))
    expect(readMessage(text).kind).toBe('request')
    expect(invalid(broken).error).toMatchObject({ code: -32700, message: 'Parse error: not valid UTF-8, from byte 34 on' })
  })

  it('has a short reason', () => {
    expect(invalid('{"id":1,"id":2}').error.message).toBe('Parse error: duplicate key at /id')
    expect(invalid('['.repeat(65)).error.message).toBe('Parse error: nested deeper than 64')
    expect(readMessage('[[[]]]', { depth: 3 }).kind).toBe('batch')
    expect(readMessage('[[[]]]', { depth: 2 })).toMatchObject({ error: { message: 'Parse error: nested deeper than 2' } })
  })
})

describe('valid JSON with an unacceptable value', () => {
  const bad = '"x":{"n":9007199254740993}'

  it.each([
    [`{"jsonrpc":"2.0","id":1,"method":"a","params":{${bad}}}`, { id: 1, about: 'request' }, '/params/x/n'],
    [`{"jsonrpc":"2.0","id":"1","result":{${bad}}}`, { id: '1', about: 'response' }, '/result/x/n'],
    [`{"jsonrpc":"2.0","method":"a","params":{${bad}}}`, { id: undefined, about: 'notification' }, '/params/x/n'],
    [`{"jsonrpc":"2.0","id":1,"result":{"a":1,"a":1}}`, { id: 1, about: 'response' }, '/result/a'],
    [`{"jsonrpc":"2.0","id":1,"id":2,"result":{"a":1,"a":1}}`, { id: undefined, about: 'unknown' }, '/id'],
    [`{"jsonrpc":"2.0","id":9007199254740993.0,"method":"a"}`, { id: undefined, about: 'unknown' }, '/id'],
  ])('is refused with its place, to the waiting side: %s', (text, expected, place) => {
    const message = invalid(text)
    expect(summary(message)).toEqual({ code: -32700, ...expected })
    expect(message.error.message.endsWith(` at ${place}`)).toBe(true)
  })

  it('is a batch of errors if it was a batch', () => {
    const batch = readMessage(`[{"jsonrpc":"2.0","id":1,"result":{${bad}}},{"jsonrpc":"2.0","id":2,"result":{}}]`)
    const items = batch.kind === 'batch' ? batch.items : []
    expect(items).toMatchObject([
      { kind: 'invalid', id: 1, about: 'response' },
      { kind: 'invalid', id: 2, about: 'response' },
    ])
  })
})

describe('a batch', () => {
  it('has the same messages as if they were read alone', () => {
    const messages = [
      { jsonrpc: '2.0', id: 1, method: 'a' },
      { jsonrpc: '2.0', method: 'b' },
      { id: 2 },
      [],
      { jsonrpc: '2.0', id: 3, result: {} },
    ]
    const batch = read(messages)
    const kinds = batch.kind === 'batch' ? batch.items.map((item) => item.kind) : []
    expect(kinds).toEqual(['request', 'notification', 'invalid', 'invalid', 'response'])
  })

  it('BASE-020 is invalid when empty, and each element that is not an object is invalid', () => {
    expect(summary(invalid('[]'))).toEqual({ code: -32600, id: undefined, about: 'unknown' })
    expect(readMessage('[1,null,"a",[]]')).toEqual({
      kind: 'batch',
      items: Array.from({ length: 4 }, () =>
        expect.objectContaining({ kind: 'invalid', error: expect.objectContaining({ code: -32600 }) }),
      ),
    })
  })

  it('has at most a thousand messages', () => {
    expect(readMessage(`[${Array(1_000).fill('1').join()}]`).kind).toBe('batch')
    expect(invalid(`[${Array(1_001).fill('1').join()}]`).error.code).toBe(-32600)
  })
})
