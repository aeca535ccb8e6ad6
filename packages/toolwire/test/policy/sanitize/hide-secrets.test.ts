// Secrets in arguments: wherever arguments are shown in passing or written down, and nowhere else.
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { Json, JsonObject } from '../../../src/json.js'
import { audit } from '../../../src/policy/audit/index.js'
import type { AuditRecord } from '../../../src/policy/audit/record.js'
import { rules } from '../../../src/policy/rules/index.js'
import { hideSecrets, withoutSecrets } from '../../../src/policy/sanitize/hide-secrets.js'
import type { ToolCall } from '../../../src/tools/tool.js'
import { howMany } from '../../soak.js'
import { samples } from '../../text/secret-samples.js'
import { callOf, done } from '../call.js'

const seed = 8
const sample = fc.constantFrom(...samples)
const secretName = fc.constantFrom(
  'password',
  'apiKey',
  'api_key',
  'client_secret',
  'access_token',
  'token',
  'Authorization',
  'cookie',
)
const plainName = fc.stringMatching(/^[b-d]{1,5}$/)
const words = fc.stringMatching(/^[ -~]{1,20}$/).filter((text) => text.trim() !== '')

/** Arguments with a secret in them, told by its form or by the name that it stands under. */
const secretive: fc.Arbitrary<{ args: JsonObject; secret: string }> = fc
  .tuple(
    fc.oneof(
      sample.map(({ text, secret }) => ({ value: text as Json, secret })),
      fc
        .tuple(secretName, fc.stringMatching(/^[e-z0-9]{6,12}$/))
        .map(([name, secret]) => ({ value: { [name]: secret } as Json, secret })),
      fc
        .tuple(secretName, fc.stringMatching(/^[e-z0-9]{6,12}$/))
        .map(([name, secret]) => ({ value: { [name]: [secret] } as Json, secret })),
      fc
        .tuple(secretName, plainName, fc.stringMatching(/^[e-z0-9]{6,12}$/))
        .map(([name, inner, secret]) => ({ value: { [name]: [{ [inner]: { value: secret } }] } as Json, secret })),
      fc
        .tuple(secretName, fc.integer({ min: 100_000_000, max: 999_999_999 }), fc.boolean())
        .map(([name, pin, isNested]) => ({ value: { [name]: isNested ? { pin } : pin } as Json, secret: String(pin) })),
      sample.map(({ text, secret }) => ({ value: { [text]: 1 } as Json, secret })),
    ),
    fc.array(fc.option(plainName, { nil: undefined }), { maxLength: 5 }),
    fc.array(words, { maxLength: 3 }),
  )
  .map(([{ value, secret }, path, beside]) => ({
    secret,
    args: {
      a: path.reduce<Json>((inner, name) => (name === undefined ? [...beside, inner] : { n: beside, [name]: inner }), value),
    },
  }))

type Road = (call: ToolCall) => Promise<unknown> | unknown

const recordedBy =
  (redact: 'none' | ReturnType<typeof rules>['redact']): Road =>
  async (call) => {
    const records: AuditRecord[] = []
    await audit({ write: (record) => void records.push(record), redact }).call?.(call, async () => done)
    return records
  }

const roads: readonly (readonly [string, Road])[] = [
  ['a copy to show', ({ arguments: args }) => withoutSecrets(args)],
  ['the audit log that keeps arguments', recordedBy('none')],
  ['the audit log with what rules leave', recordedBy(rules({ rules: [], default: 'allow' }).redact)],
]

describe.each(roads)('%s', (_, road) => {
  it('holds no secret of the arguments, which stay as they are', async () => {
    await fc.assert(
      fc.asyncProperty(secretive, async ({ args, secret }) => {
        const call = callOf({ arguments: args })
        const before = JSON.stringify(args)
        const told = JSON.stringify(await road(call))
        expect(told).not.toContain(JSON.stringify(secret).slice(1, -1))
        expect(told).toContain('[secret removed: ')
        expect(JSON.stringify(call.arguments)).toBe(before)
      }),
      { numRuns: howMany(40, 400), seed },
    )
  })
})

it('leaves alone what only looks like a secret', () => {
  for (const { kind, misses } of samples) for (const miss of misses) expect([kind, hideSecrets(miss)]).toEqual([kind, miss])
  const args = { path: '/tmp/a', page: 'eyJ', tokens: 5, author: 'Ada', secretary: 'Ada', list: ['x', 1, null, true] }
  expect(withoutSecrets(args)).toEqual(args)
})
