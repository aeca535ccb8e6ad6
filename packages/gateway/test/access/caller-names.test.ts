// Keys and tokens cannot have a name that looks like one of the gateway's own.
import fc from 'fast-check'
import { type ApiKeyRecord, createApiKey } from 'toolwire/auth'
import { expect, it } from 'vitest'
import { howMany } from '../../../toolwire/test/soak.js'
import { authenticators } from '../../src/access/authenticate.js'
import { callerNameFault } from '../../src/access/caller-names.js'
import { addKey } from '../../src/api/routes/keys.js'
import type { GatewayConfig } from '../../src/config/gateway-config.js'

const alike: { readonly [letter: string]: string } = { a: 'а', c: 'ⅽ', e: 'е', o: '0', l: '1', n: 'ո', w: 'ԝ', ':': '：' }
type Spoil = (name: string, at: number) => string
const replaced = (name: string, at: number, by: (character: string) => string) =>
  name.slice(0, at) + by(name[at] ?? '') + name.slice(at + 1)
const spoils: readonly Spoil[] = [
  (name) => name,
  (name, at) => replaced(name, at, (one) => one.toUpperCase()),
  (name, at) => replaced(name, at, (one) => alike[one] ?? one),
  (name, at) => replaced(name, at, (one) => (/[!-~]/.test(one) ? String.fromCharCode(one.charCodeAt(0) + 0xfee0) : one)),
  (name, at) => replaced(name, at, (one) => `${one}\u0301`),
  (name, at) => replaced(name, at, (one) => `${one}\u200b`),
  (name, at) => replaced(name, at, (one) => `\u001b[2J${one}`),
  (name) => `${name} `,
  (name) => `\t${name}`,
  (name) => `\u202e${name}`,
]
const own = fc.constantFrom('local', 'operator', 'webhook', 'toolwire', 'anonymous', 'console:abc')
const spoilt = fc
  .tuple(own, fc.array(fc.tuple(fc.constantFrom(...spoils), fc.nat({ max: 6 })), { maxLength: 3 }))
  .map(([name, all]) => all.reduce<string>((spoiled, [spoil, at]) => spoil(spoiled, Math.min(at, spoiled.length - 1)), name))

it('the gateway refuses keys that read like its own names, and callers with older ones', async () => {
  await fc.assert(
    fc.asyncProperty(spoilt, async (caller) => {
      const records: ApiKeyRecord[] = []
      const keys = { add: async (record: ApiKeyRecord) => void records.push(record) }
      const adding = addKey({ store: { keys } as never, log: undefined }, { caller }, { id: 'operator' }) // only these members are used
      await expect(adding).rejects.toMatchObject({ status: 400 })
      expect(records).toEqual([])
      const { key, record } = await createApiKey({ caller, scopes: [] })
      const config = { callers: { loopback: false, apiKeys: true } } as GatewayConfig // only these members are read
      const { callers } = authenticators(config, { keys: { find: () => record }, token: 'x', sets: () => [] })
      const header = (name: string) => (name === 'x-api-key' ? key : undefined)
      expect(await callers({ header } as never)).toMatchObject({ denied: 'invalid_token' })
    }),
    { numRuns: howMany(100, 2_000) },
  )
})

it.each([
  'ada',
  'Müller',
  'nightly job',
  'console-bot',
  'consoles',
  'locale',
  'webhooks',
  'operators',
  'a@example.com',
  'https://issuer/x',
  '山田',
])('accepts %s', (name) => expect(callerNameFault(name)).toBeUndefined())

it('the error explains what is wrong with a name', () => {
  expect(callerNameFault('Lоcal')).toBe('is reserved by the gateway')
  expect(callerNameFault('ada ')).toBe('has hidden characters, or blanks at an end')
  expect(callerNameFault('a\u200bda')).toBe('has hidden characters, or blanks at an end')
})
