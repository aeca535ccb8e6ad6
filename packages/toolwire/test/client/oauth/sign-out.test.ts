import { describe, expect, it } from 'vitest'
import { type AuthorizationPrompt, memoryTokens, OAuthFailure, signOut } from '../../../src/client/oauth/index.js'
import type { SignOutOptions } from '../../../src/client/oauth/tokens/sign-out.js'
import { expectWithin } from '../../soak.js'
import { type AuthorityScript, agree } from './authority.js'
import { call, thrownBy } from './call.js'
import { person, redirectUri, setting } from './setting.js'
import { json } from './web.js'

const pair = () => json({ access_token: 'a1', refresh_token: 'r1', token_type: 'bearer', expires_in: 3600 })
const taken = () => ({ status: 200 })

/** A setting in which a person has signed in. */
async function signedIn(script: AuthorityScript = { revoke: taken }, options: Partial<SignOutOptions> = {}) {
  const at = await setting({ token: pair, ...script })
  const store = memoryTokens()
  const asked: AuthorizationPrompt[] = []
  const authorize = async (page: URL, about: AuthorizationPrompt) => {
    asked.push(about)
    return agree(page)
  }
  const signIn = () => call(person({ ...options, store, authorize }), at.server.url)
  expect(await signIn()).toBe(200)
  return { ...at, asked, signIn, signOut: () => signOut(at.server.url, { redirectUri, ...options, store }) }
}

describe('signing out', () => {
  it('revokes the refresh token, then the access token, and the person is asked on the next visit', async () => {
    await using at = await signedIn()
    expect(await at.signOut()).toBe('revoked')
    expect(at.as.revocations().map((form) => Object.fromEntries(form))).toEqual([
      { token: 'r1', token_type_hint: 'refresh_token', client_id: expect.stringMatching(/^client-/) },
      { token: 'a1', token_type_hint: 'access_token', client_id: expect.stringMatching(/^client-/) },
    ])
    expect(await at.signIn()).toBe(200)
    expect([at.asked.length, at.as.registrations().length]).toEqual([2, 1])
  })

  it('authenticates the client as at the token endpoint', async () => {
    const metadata: AuthorityScript['metadata'] = (own) => ({
      ...own,
      token_endpoint_auth_methods_supported: ['client_secret_basic'],
    })
    const client = { clientId: 'us', clientSecret: 'our secret' }
    await using at = await signedIn({ revoke: taken, metadata }, { client })
    expect(await at.signOut()).toBe('revoked')
    const shown = at.as.at('/revoke').map(({ headers }) => headers.authorization)
    expect(shown).toEqual(Array(2).fill(`Basic ${btoa('us:our+secret')}`))
  })

  it('reports if there is nothing to revoke, or no revocation endpoint', async () => {
    await using at = await signedIn({})
    expect(await at.signOut()).toBe('not offered')
    expect(await at.signOut()).toBe('no tokens')
    await at.signIn()
    expect(at.asked).toHaveLength(2)
  })

  it.each<[string, AuthorityScript['revoke'], object]>([
    ['that refuses', () => json({ error: 'invalid_client' }, 401), { code: 'revocation_refused' }],
    [
      'that takes back no such token',
      () => json({ error: 'unsupported_token_type' }, 400),
      { oauthError: 'unsupported_token_type' },
    ],
    ['that is out of order', () => ({ status: 503 }), { code: 'revocation_refused' }],
    ['that never answers', () => new Promise(() => undefined), { code: 'timed_out' }],
  ])('deletes the tokens even at an authorization server %s', async (_, revoke, failure) => {
    await using at = await signedIn({ revoke: revoke ?? taken })
    const startedAt = performance.now()
    const thrown = await thrownBy(at.signOut())
    expectWithin(performance.now() - startedAt, 9_500) // each of two requests may take five seconds
    expect(thrown).toBeInstanceOf(OAuthFailure)
    expect(thrown).toMatchObject(failure)
    expect(JSON.stringify(thrown) + String(thrown)).not.toMatch(/[ar]1\b/)
    expect(at.as.revocations().map((form) => form.get('token'))).toEqual(['r1', 'a1'])
    expect(await at.signOut()).toBe('no tokens')
  })

  it('revokes the access token even if the refresh token is refused', async () => {
    const revoke = (form: URLSearchParams) => (form.get('token') === 'r1' ? json({ error: 'server_error' }, 500) : taken())
    await using at = await signedIn({ revoke })
    expect(await thrownBy(at.signOut())).toMatchObject({ message: expect.stringContaining('has not revoked the refresh token') })
    expect(at.as.revocations()).toHaveLength(2)
  })

  it('sends no token to a forbidden URL, which does not prevent signing in', async () => {
    const metadata: AuthorityScript['metadata'] = (own) => ({ ...own, revocation_endpoint: 'http://192.0.2.1/revoke' })
    await using at = await signedIn({ metadata })
    expect(await thrownBy(at.signOut())).toMatchObject({ code: 'forbidden_address' })
  })

  it('uses the authorization server that issued the tokens, even if the server now names another', async () => {
    await using at = await signedIn()
    await using other = await setting({ revoke: taken })
    Object.assign(at.server.script, { issuers: () => [other.as.issuer] })
    expect(await at.signOut()).toBe('revoked')
    expect([at.as.revocations().length, other.as.seen.length]).toEqual([2, 0])
  })
})
