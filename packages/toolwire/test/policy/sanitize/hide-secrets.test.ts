// Secrets in arguments are hidden in all displays and records of arguments, and nowhere else.
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

/** Arguments with a secret, which is recognizable by its form or by its name. */
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

type Output = (call: ToolCall) => Promise<unknown> | unknown

const recordedBy =
  (redact: 'none' | ReturnType<typeof rules>['redact']): Output =>
  async (call) => {
    const records: AuditRecord[] = []
    await audit({ write: (record) => void records.push(record), redact }).call?.(call, async () => done)
    return records
  }

const outputs: readonly (readonly [string, Output])[] = [
  ['a copy to show', ({ arguments: args }) => withoutSecrets(args)],
  ['the audit log that keeps arguments', recordedBy('none')],
  ['the audit log with what rules leave', recordedBy(rules({ rules: [], default: 'allow' }).redact)],
]

describe.each(outputs)('%s', (_, output) => {
  it('contains no secret of the arguments, and the arguments stay unchanged', async () => {
    await fc.assert(
      fc.asyncProperty(secretive, async ({ args, secret }) => {
        const call = callOf({ arguments: args })
        const before = JSON.stringify(args)
        const shown = JSON.stringify(await output(call))
        expect(shown).not.toContain(JSON.stringify(secret).slice(1, -1))
        expect(shown).toContain('[secret removed: ')
        expect(JSON.stringify(call.arguments)).toBe(before)
      }),
      { numRuns: howMany(40, 400), seed },
    )
  })
})

/** A value after a sensitive name is hidden even if it is a placeholder. */
const isNamedValue = /(?:password|secret|token|key)["']?\s*(?:[:=]|=>)\s*["']?[^\s"']{6}/i

it('values that only resemble secrets stay unchanged', () => {
  for (const { kind, misses } of samples)
    for (const miss of misses) if (!isNamedValue.test(miss)) expect([kind, hideSecrets(miss)]).toEqual([kind, miss])
  const args = { path: '/tmp/a', page: 'eyJ', tokens: 5, author: 'Ada', secretary: 'Ada', list: ['x', 1, null, true] }
  expect(withoutSecrets(args)).toEqual(args)
  const texts = [
    'the token is short',
    'pass: 12 of 20',
    'next_page_token=abcdefgh',
    '100%25 of тексты',
    'basic understanding of things',
    'a\u200bb ＡＢＣ',
  ]
  expect(texts.map((text) => hideSecrets(text))).toEqual(texts)
})

const lookAlikes: { readonly [letter: string]: string } = { a: 'а', c: 'с', e: 'е', o: 'о', p: 'р', s: 'ѕ', i: 'і' }
const secretWords = [
  'password passwd passphrase passcode secret api_key access_key signing_key private_key encryption_key token access_token session_token',
  'id_token csrf_token refresh_token jwt otp cvv card_number credential client_secret recovery_code ssn',
].flatMap((line) => line.split(' '))

/** Names of secrets, in any spelling. */
const secretNames = fc
  .record({
    word: fc.constantFrom(...secretWords),
    end: fc.constantFrom('', '2', 's', 's2', '_confirmation', '_pem', '_value'),
    before: fc.constantFrom('', 'my', 'new', 'db', 'x'),
    separator: fc.constantFrom('_', '-', '.', ' ', 'camel'),
    letters: fc.constantFrom('as is', 'upper case', 'look-alike', 'full-width', 'hidden', 'accent'),
    at: fc.nat({ max: 20 }),
  })
  .map(({ word, end, before, separator, letters, at }) => {
    const isPlural = end.startsWith('s')
    const words = `${before && `${before}_`}${word}${end}`.split('_')
    const camel = words.map((one, index) => (index === 0 ? one : one[0]?.toUpperCase() + one.slice(1))).join('')
    const name = separator === 'camel' ? camel : words.join(separator)
    const from = name.indexOf(word.split('_')[0]?.slice(1) ?? '')
    const index = Math.min(Math.max(from, 0) + (at % 2), name.length - 1)
    const [head, letter = '', tail] = [name.slice(0, index), name[index], name.slice(index + 1)]
    if (letters === 'upper case') return { isPlural, name: separator === 'camel' ? name : name.toUpperCase() }
    if (letters === 'look-alike') return { isPlural, name: [...name].map((one) => lookAlikes[one] ?? one).join('') }
    if (letters === 'full-width') return { isPlural, name: head + String.fromCharCode(letter.charCodeAt(0) + 0xfee0) + tail }
    if (letters === 'hidden') return { isPlural, name: `${head + letter}\u200b${tail}` }
    return { isPlural, name: letters === 'accent' ? `${head + letter}\u0301${tail}` : name }
  })
const random = fc.stringMatching(/^[A-Za-z][A-Za-z0-9]{10}[0-9]{3}$/)

it('each kind of value is hidden under each spelling of a secret name', () => {
  const number = fc.integer({ min: 100_000_000, max: 999_999_999 })
  fc.assert(
    fc.property(
      secretNames,
      fc.oneof(random, number),
      fc.constantFrom('alone', 'list', 'object'),
      ({ name, isPlural }, secret, form) => {
        const isCount = form === 'alone' && typeof secret === 'number' && isPlural
        fc.pre(!isCount)
        const value = form === 'list' ? [secret] : form === 'object' ? { a: { b: secret } } : secret
        expect(JSON.stringify(withoutSecrets({ [name]: value }))).not.toContain(String(secret))
      },
    ),
    { numRuns: howMany(500, 10_000) },
  )
})

it('values that a text names are hidden, and so are secrets in an odd spelling', () => {
  const forms: readonly ((secret: string) => string)[] = [
    (secret) => `Authorization: Bearer ${secret}`,
    (secret) => `curl -H "Authorization: Basic ${secret}" https://x`,
    (secret) => `Bearer ${secret}abcdef`,
    (secret) => `--password ${secret}`,
    (secret) => `mysql --password=${secret} shop`,
    (secret) => `curl -u admin:${secret} http://x`,
    (secret) => `PGPASSWORD=${secret} psql`,
    (secret) => `https://x/?token=${secret}&page=2`,
    (secret) => `https://x/?a=1&api_key=${secret}`,
    (secret) => `password%3D${secret}`,
    (secret) => `pass\u200bword=${secret}`,
    (secret) => JSON.stringify({ password2: secret }),
    (secret) => JSON.stringify(JSON.stringify({ session_token: secret })),
    (secret) => `password: ${secret}`,
    (secret) => `shop: password=${secret}`,
  ]
  fc.assert(
    fc.property(fc.constantFrom(...forms), random, (form, secret) => {
      const shown = hideSecrets(form(secret))
      expect(shown).not.toContain(secret)
      expect(shown).toContain('[secret removed: ')
      expect(hideSecrets(shown)).toBe(shown)
    }),
    { numRuns: howMany(300, 5_000) },
  )
  for (const { text, secret } of samples) {
    const odd = [
      text.replace(secret, `${secret.slice(0, 9)}\u200b${secret.slice(9)}`),
      text.replace(secret, encodeURIComponent(secret)),
    ]
    for (const one of odd) expect(hideSecrets(one)).not.toContain(secret.slice(9, 30))
  }
})

it('the first 40 Ki characters of arguments are searched for named values, and all of them for secrets of known forms', () => {
  const long = 'x '.repeat(30_000)
  const shown = withoutSecrets({
    long: `${long}password=hunter2hunter ghp_0123456789abcdefghijklmnopqrstuvwxyz`,
    short: 'password=hunter2hunter',
  })
  expect(String(shown.long).startsWith(`${long}password=hunter2hunter `)).toBe(true)
  expect(shown.long).not.toContain('ghp_')
  expect(shown.short).not.toContain('hunter2')
})
