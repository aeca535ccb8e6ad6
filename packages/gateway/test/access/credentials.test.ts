import { expect, it } from 'vitest'
import { isCredentialValid, keyCredential, operatorCredential } from '../../src/access/credentials.js'

const now = 1_000
const [past, later] = [now, now + 1]
const kept = keyCredential('kept')

it.each([
  ['an access token', {}, true],
  ['an expired access token, which is not a revocation', { expiresAt: past }, true],
  ['a stored key', { credential: kept }, true],
  ['a stored key that has not expired', { credential: kept, expiresAt: later }, true],
  ['a stored key that has expired', { credential: kept, expiresAt: past }, false],
  ['a stored key that was revoked', { credential: keyCredential('gone') }, false],
  ['the key of the operator', { credential: operatorCredential('now') }, true],
  ['an old key of the operator', { credential: operatorCredential('old') }, false],
])('checks the validity of %s', (_, holder, holds) => {
  const record = { id: 'kept', hash: '', caller: 'ada', scopes: [] }
  const keys = { find: (id: string) => (id === 'kept' ? record : undefined) }
  expect(isCredentialValid(holder, { keys, apiKey: 'now' }, now)).toBe(holds)
})
