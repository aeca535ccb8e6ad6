import fc from 'fast-check'
import { expect, it } from 'vitest'
import { finish } from '../../src/bounds/steps.js'
import { JsonError, parseMessageJson } from '../../src/json.js'
import { readMessage, readMessageSteps } from '../../src/jsonrpc/read-message.js'
import { howMany } from '../soak.js'

const messages = [
  '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"add","arguments":{"a":1,"b":[2,3.5e-2]}}}',
  '{"jsonrpc":"2.0","id":"\\u00e9\\ud83d\\ude00","result":{"content":[{"type":"text","text":"a\\"b\\\\\\n"}],"isError":false}}',
  '[{"jsonrpc":"2.0","method":"x","params":{"_meta":{"progressToken":null}}},{"error":{"code":-1,"message":"é😀"}}]',
  '{"id":9007199254740993,"params":{"requestId":-9007199254740993,"arguments":{"id":1e20}}}',
].map((text) => new TextEncoder().encode(text))

const telling = [...'{}[]",:\\u0d8e19.-+ \n', '\0'].map((character) => character.charCodeAt(0)).concat(0xff, 0xc3, 0xed)
const edit = fc.record({
  at: fc.nat(120),
  remove: fc.nat(3),
  insert: fc.array(fc.oneof(fc.constantFrom(...telling), fc.nat(255)), { maxLength: 3 }),
})
const mutated = fc
  .tuple(fc.constantFrom(...messages), fc.array(edit, { maxLength: 4 }))
  .map(([message, edits]) =>
    edits.reduce((bytes, { at, remove, insert }) => bytes.toSpliced(at, remove, ...insert), [...message]),
  )

/** Rounds ids beyond 2^53 as JSON.parse does, for the comparison. */
function rounded(value: unknown): unknown {
  if (typeof value === 'bigint') return Number(value)
  if (Array.isArray(value)) return value.map(rounded)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, rounded(item)]))
}

it('20,000 mutated messages are either refused with a JsonError or read as JSON.parse reads them', () => {
  let accepted = 0
  fc.assert(
    fc.property(mutated, (values) => {
      const bytes = Uint8Array.from(values)
      expect(finish(readMessageSteps(bytes))).toEqual(readMessage(bytes))
      try {
        const value = parseMessageJson(bytes)
        accepted++
        expect(rounded(value)).toEqual(JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes)))
      } catch (thrown) {
        if (!(thrown instanceof JsonError)) throw thrown
        if (thrown.code === 'syntax') expect(() => JSON.parse(new TextDecoder().decode(bytes))).toThrow()
      }
    }),
    { numRuns: howMany(6_000, 20_000), seed: 7 },
  )
  expect(accepted).toBeGreaterThan(1_000)
})
