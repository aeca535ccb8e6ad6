// One table of names for secrets, and three places that hide more the less is lost by it.
import { describe, expect, it } from 'vitest'
import { isHiddenInLogs, isHiddenInViews, isSecretName } from '../../src/text/secrets/secret-names.js'
import { isSensitiveName } from '../../src/text/secrets/sensitive-names.js'

const places = [isSecretName, isHiddenInViews, isHiddenInLogs] as const

describe('the name of a secret', () => {
  it.each([
    'password',
    'db_passwd',
    'PASSPHRASE',
    'client-secret',
    'apiKey',
    'access_key',
    'refresh_token',
    'private-key',
  ])('%s is one everywhere', (name) => {
    expect(places.map((isOne) => isOne(name))).toEqual([true, true, true])
  })

  it.each(['token', 'authorization', 'cookie', 'credentials'])('%s hides a value in views and logs, not in results', (name) => {
    expect(places.map((isOne) => isOne(name))).toEqual([false, true, true])
  })

  it.each(['next_page_token', 'tokenCount', 'cookieName'])('%s may be read in results and views; a log says less', (name) => {
    expect(places.map((isOne) => isOne(name))).toEqual([false, false, true])
  })

  it.each(['page', 'keyboard', 'author'])('%s is none', (name) => {
    expect([...places, isSensitiveName].map((isOne) => isOne(name))).toEqual([false, false, false, false])
  })

  it('asked of a person is more than that: a card number or a one-time code is nobody else’s', () => {
    const asked = ['cardNumber', 'iban', 'otp', 'seed phrase']
    expect(asked.map((name) => [isSensitiveName(name), isHiddenInViews(name)])).toEqual(asked.map(() => [true, false]))
  })
})
