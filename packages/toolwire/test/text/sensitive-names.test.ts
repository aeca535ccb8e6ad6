// One table of names for secrets, which forms, headers, views and logs use. Results hide fewer, and only if the value looks like a secret.
import { describe, expect, it } from 'vitest'
import { isSecretMember, isSensitiveName } from '../../src/text/secrets/sensitive-names.js'
import { isAssignedName } from '../../src/text/secrets/value-secrets.js'

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
  ])('may be %s everywhere', (name) => {
    expect([isSensitiveName(name), isAssignedName(name)]).toEqual([true, true])
  })

  it.each(
    [
      'token authorization cookie credentials passwords password2 dbpassword userpasswd githubtoken apiKeys tokens sessionToken id_token',
      'csrf_token jwt otp passcode cvv cardNumber signingKey privateKeyPem Set-Cookie Proxy-Authorization iban pin db_pass passw0rd PIN2',
    ].flatMap((line) => line.split(' ')),
  )('such as %s hides a value in views and logs, and not in results', (name) => {
    expect([isSecretMember(name, ''), isAssignedName(name)]).toEqual([
      true,
      /^(passwords?2?|dbpassword|userpasswd)$/.test(name) && !/s$|2$/.test(name),
    ])
  })

  it.each(
    [
      'page keyboard author secretary secretariat next_page_token nextPageToken continuationToken syncToken progressToken tokenCount',
      'token_type cookieName max_tokens maxTokens total_tokens password_length pass_rate passenger boarding_pass compass',
      'tokenizer monkey code sort description',
    ].flatMap((line) => line.split(' ')),
  )('may not be %s', (name) => {
    expect([isSensitiveName(name), isAssignedName(name)]).toEqual([false, false])
  })

  it('does not include a plural with a number, which is a count', () => {
    expect(isSensitiveName('tokens')).toBe(false) // a form may sell tokens
    expect(['tokens', 'secrets', 'passwords'].map((name) => [isSecretMember(name, 12), isSecretMember(name, '12')])).toEqual(
      Array.from({ length: 3 }, () => [false, true]),
    )
    expect(isSecretMember('pin', 1234)).toBe(true)
  })
})
