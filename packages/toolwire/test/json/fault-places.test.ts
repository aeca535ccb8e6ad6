// Invalid JSON is refused with the place of its defect, by every part of the library that reads untrusted JSON.
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { fetchObject } from '../../src/auth/fetch-object.js'
import { egress } from '../../src/client/oauth/egress/egress.js'
import { encodeJson, JsonError, parseJson } from '../../src/json.js'
import { EventDecoder } from '../../src/jsonrpc/events.js'
import { type ParsedMessage, readMessage } from '../../src/jsonrpc/read-message.js'
import { readArguments } from '../../src/llm/answer-call.js'
import { readRules } from '../../src/policy/rules/read/read-rules.js'
import { howMany } from '../soak.js'
import { defective, exact, pointerOf } from './defects.js'

const seed = 8
const bytes = (text: string) => new TextEncoder().encode(text)

function refusal(read: () => unknown): JsonError {
  try {
    read()
  } catch (thrown) {
    if (thrown instanceof JsonError) return thrown
    throw thrown
  }
  throw new Error('was taken')
}

/** True for the errors about a number, a lone surrogate or a duplicate key. */
const isRefused = (message: ParsedMessage): boolean =>
  message.kind === 'invalid' && /^Parse error: (?:a number that|half of|duplicate key).* at /.test(message.error.message)

const throughEvents = (text: string) => {
  const [event] = new EventDecoder().push(bytes(`data: ${text}\n\n`))
  return readMessage(event?.data ?? '')
}

describe('a defect anywhere in a text', () => {
  it('is refused with its pointer, in text and in bytes', () => {
    fc.assert(
      fc.property(defective, ({ text, path, code }) => {
        for (const input of [text, bytes(text)]) {
          const { code: found, at } = refusal(() => parseJson(input))
          expect([found, at]).toEqual([code, pointerOf(path)])
        }
      }),
      { numRuns: howMany(160, 2_000), seed },
    )
  })

  it.each([
    [
      'the arguments of a call',
      '{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"a","arguments":{"x":@}}}',
      'request',
    ],
    ['the _meta of a call', '{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"a","_meta":{"x":@}}}', 'request'],
    ['an unknown member of a message', '{"jsonrpc":"2.0","id":7,"method":"tools/call","x":{"x":@}}', 'request'],
    ['a structured result', '{"jsonrpc":"2.0","id":7,"result":{"structuredContent":{"x":@}}}', 'response'],
    ['the _meta of a result', '{"jsonrpc":"2.0","id":7,"result":{"content":[],"_meta":{"x":@}}}', 'response'],
    ['the content of a result', '{"jsonrpc":"2.0","id":7,"result":{"content":[{"type":"text","text":"","x":@}]}}', 'response'],
    ['the answer of a person', '{"jsonrpc":"2.0","id":7,"result":{"action":"accept","content":{"x":@}}}', 'response'],
    ['a task', '{"jsonrpc":"2.0","id":7,"result":{"task":{"taskId":"t","x":@}}}', 'response'],
    ['the data of an error', '{"jsonrpc":"2.0","id":7,"error":{"code":1,"message":"","data":{"x":@}}}', 'response'],
    ['a default in a schema', '{"jsonrpc":"2.0","id":7,"result":{"tools":[{"inputSchema":{"default":{"x":@}}}]}}', 'response'],
  ])('is refused in %s, and the waiting side receives the error', (_, frame, about) => {
    fc.assert(
      fc.property(defective, ({ text }) => {
        for (const read of [readMessage, (one: string) => readMessage(bytes(one)), throughEvents]) {
          const message = read(frame.replace('@', () => text))
          expect(isRefused(message)).toBe(true)
          expect(message).toMatchObject({ id: 7, about })
        }
      }),
      { numRuns: howMany(30, 150), seed },
    )
  })

  it('is refused in the arguments of a model', () => {
    fc.assert(
      fc.property(defective, ({ text }) => {
        expect(readArguments(`{"x":${text}}`)).toMatch(/ at \/x/)
      }),
      { numRuns: howMany(30, 300), seed },
    )
  })

  it('is refused in rules with its line', async () => {
    await fc.assert(
      fc.asyncProperty(defective, async ({ text, code }) => {
        const said = await readRules(`{\n"rules": [],\n"x": ${text}}`, { format: 'json' }).catch((thrown: Error) => thrown)
        expect(said).toBeInstanceOf(Error)
        expect(String(said)).toContain(
          code === 'number' ? 'cannot be held exactly' : code === 'duplicate' ? 'duplicate key' : 'half of',
        )
        expect(said).toHaveProperty('problems.0.line', 3)
      }),
      { numRuns: howMany(30, 300), seed },
    )
  })

  it.each([
    '9007199254740993',
    '+9007199254740993',
    '1e400',
    '.inf',
    '1e-400',
    '0x20000000000001',
  ])('is refused in YAML rules with its line: %s', async (literal) => {
    const said = await readRules(`rules: []\nx: ${literal}\n`, { format: 'yaml' }).catch((thrown: Error) => thrown)
    expect(said).toHaveProperty('problems.0.line', 2)
    expect(String(said)).toContain('cannot be held exactly')
  })

  it('is refused in documents of authorization servers, by client and server', async () => {
    await fc.assert(
      fc.asyncProperty(defective, async ({ text }) => {
        const fetch = async () => new Response(`{"issuer":"x","x":${text}}`, { headers: { 'content-type': 'application/json' } })
        await expect(fetchObject('https://as.example/', {}, fetch)).rejects.toThrow('cannot be read')
        await expect(egress({ allowLoopback: true, hosts: undefined } as never, fetch)('https://as.example/')).rejects.toThrow(
          'cannot be read as JSON',
        )
      }),
      { numRuns: howMany(20, 100), seed },
    )
  })
})

describe('a byte that is not UTF-8', () => {
  const bad = fc.constantFrom([0xff], [0xc3, 0x28], [0xed, 0xa0, 0x80], [0xf8], [0x80], [0xc0, 0xaf])

  it('is refused with its place, wherever it is', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme', maxLength: 9_000 }), bad, fc.string(), (before, broken, after) => {
        const begin = bytes(`["${JSON.stringify(before).slice(1, -1)}`)
        const whole = Uint8Array.from([...begin, ...broken, ...bytes(`${JSON.stringify(after).slice(1)}]`)])
        const { code, message } = refusal(() => parseJson(whole))
        const at = Number(/byte (\d+)/.exec(message)?.[1])
        expect(code).toBe('utf8')
        expect(at).toBeGreaterThanOrEqual(begin.length)
        expect(at).toBeLessThan(begin.length + broken.length + 1)
      }),
      { numRuns: howMany(30, 300), seed },
    )
  })
})

describe('an accepted number', () => {
  it.each(exact)('keeps its value when it is written again: %s', (literal) => {
    const again = encodeJson(parseJson(`[${literal}]`)).slice(1, -1)
    expect(Number(again)).toBe(Number(literal))
    expect(encodeJson(parseJson(`[${again}]`))).toBe(`[${again}]`)
  })

  it('may be any number that JavaScript writes; integers around 2^53 keep their digits or are refused', () => {
    fc.assert(
      fc.property(
        fc.double({ noNaN: true, noDefaultInfinity: true }),
        fc.bigInt({ min: -(2n ** 70n), max: 2n ** 70n }),
        (one, other) => {
          expect(parseJson(JSON.stringify(one))).toBe(Object.is(one, -0) ? 0 : one)
          const read = (text: string) => {
            try {
              return encodeJson(parseJson(text))
            } catch (thrown) {
              return (thrown as JsonError).code
            }
          }
          const near = 2n ** 53n + (other % 1_000n)
          for (const digits of [String(other), String(near), String(-near)]) {
            const again = read(digits)
            expect(again === 'number' || BigInt(Number(again)) === BigInt(digits)).toBe(true)
          }
        },
      ),
      { numRuns: howMany(160, 2_000), seed },
    )
  })
})
