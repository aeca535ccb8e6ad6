import { describe, expect, it } from 'vitest'
import {
  encodeErrorResponse,
  encodeId,
  encodeNotification,
  encodeRequest,
  encodeResultResponse,
  isId,
} from '../../src/jsonrpc/message.js'
import { readMessage } from '../../src/jsonrpc/read-message.js'

const ids = [0, -1, Number.MAX_SAFE_INTEGER, 9007199254740993n, -(10n ** 99n), '', '1', 'a"\n\\\u2028é😀', 'x'.repeat(4_096)]

describe('encoding', () => {
  it.each(ids)('BASE-023 an id is read back unchanged: %.20s', (id) => {
    expect(isId(id)).toBe(true)
    expect(readMessage(encodeRequest(id, 'a'))).toEqual({ kind: 'request', request: { jsonrpc: '2.0', id, method: 'a' } })
    expect(readMessage(encodeResultResponse(id, '{"a":1}'))).toEqual({
      kind: 'response',
      response: { jsonrpc: '2.0', id, result: { a: 1 } },
    })
    const error = { code: -1, message: 'no' }
    expect(readMessage(encodeErrorResponse(id, error))).toEqual({ kind: 'response', response: { jsonrpc: '2.0', id, error } })
  })

  it('BASE-001 begins each message with jsonrpc 2.0', () => {
    expect(encodeId('a')).toBe('"a"')
    expect(encodeResultResponse(1, '{}')).toBe('{"jsonrpc":"2.0","id":1,"result":{}}')
    expect(encodeRequest(1, 'a"b', { c: 1 })).toBe('{"jsonrpc":"2.0","id":1,"method":"a\\"b","params":{"c":1}}')
    expect(encodeNotification('a"b', { c: 'd' })).toBe('{"jsonrpc":"2.0","method":"a\\"b","params":{"c":"d"}}')
    expect(encodeNotification('a')).toBe('{"jsonrpc":"2.0","method":"a"}')
  })

  it('omits an undefined id, and writes null on request', () => {
    const error = { code: -32700, message: 'Parse error' }
    expect(encodeErrorResponse(undefined, error)).toBe('{"jsonrpc":"2.0","error":{"code":-32700,"message":"Parse error"}}')
    expect(encodeErrorResponse(null, error)).toBe('{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"Parse error"}}')
  })

  it('BASE-007 writes code, message and data of an error, and no other members', () => {
    const error = Object.assign(new Error('no'), { code: 5, data: { a: 9007199254740993n }, secret: 1 })
    expect(encodeErrorResponse(1, error)).toBe(
      '{"jsonrpc":"2.0","id":1,"error":{"code":5,"message":"no","data":{"a":9007199254740993}}}',
    )
  })

  it('STDIO-001 writes no raw newline in any message', () => {
    const text = 'a\nb\r\nc'
    const messages = [
      encodeRequest(text, text, { text }),
      encodeNotification(text, { text }),
      encodeErrorResponse(text, { code: 1, message: text, data: text }),
    ]
    for (const message of messages) expect(message).not.toMatch(/[\r\n]/)
  })
})

describe('an id', () => {
  it.each([null, undefined, true, 1.5, Number.NaN, Number.POSITIVE_INFINITY, 2 ** 53, {}, []])('may not be %s', (value) => {
    expect(isId(value)).toBe(false)
  })
})
