import { createHash } from 'node:crypto'
import { describe, expect, it, vi } from 'vitest'
import { checkedAuthorizationAnswer } from '../../../src/client/oauth/authorize/authorization-request.js'
import { memoryTokens } from '../../../src/client/oauth/index.js'
import { agree } from './authority.js'
import { call, thrownBy } from './call.js'
import { person, redirectUri, setting } from './setting.js'
import { json } from './web.js'

const hashed = (verifier: string) => createHash('sha256').update(verifier).digest('base64url')

describe('the authorization request', () => {
  it('AUTHC-005 has a PKCE challenge whose verifier is used only once', async () => {
    await using at = await setting()
    await call(person(), at.server.url)
    await call(person(), at.server.url)
    const verifiers = at.as.redemptions().map((form) => form.get('code_verifier') ?? '')
    expect(verifiers[0]).toMatch(/^[A-Za-z0-9._~-]{43,128}$/)
    expect(verifiers[0]).not.toBe(verifiers[1])
    expect(at.as.authorizations().map((query) => query.get('code_challenge'))).toEqual(verifiers.map(hashed))
  })

  it('AUTHC-006 uses S256', async () => {
    await using at = await setting()
    await call(person(), at.server.url)
    expect(at.as.authorizations()[0]?.get('code_challenge_method')).toBe('S256')
  })

  it('AUTHC-007 names the server by its canonical URL, there and at the token endpoint', async () => {
    await using at = await setting()
    await call(person(), `${at.server.url}/?query#fragment`)
    expect(at.as.authorizations()[0]?.get('resource')).toBe(at.server.url)
    expect(at.as.redemptions()[0]?.get('resource')).toBe(at.server.url)
  })

  it('passes the server and the scopes to the callback', async () => {
    await using at = await setting({}, { challenge: () => 'Bearer scope="files:read"' })
    const prompts: unknown[] = []
    await call(
      person({
        authorize: (url, { signal: _, ...about }) => {
          prompts.push(about)
          return agree(url)
        },
      }),
      at.server.url,
    )
    expect(prompts).toEqual([{ server: at.server.url, issuer: at.as.issuer, scopes: ['files:read'] }])
  })

  it('may wait for longer than the longest timer', async () => {
    await using at = await setting()
    const timeout = vi.spyOn(AbortSignal, 'timeout')
    await call(person({ authorizeTimeoutMs: 2 ** 31 }), at.server.url)
    expect(Math.max(...timeout.mock.calls.map(([ms]) => ms))).toBe(2 ** 31 - 1)
    timeout.mockRestore()
  })

  it('does not wait for ever', async () => {
    await using at = await setting()
    let signal: AbortSignal | undefined
    const asleep = person({
      authorizeTimeoutMs: 20,
      authorize: (_url, about) => {
        signal = about.signal
        return new Promise(() => undefined)
      },
    })
    expect(await thrownBy(call(asleep, at.server.url))).toMatchObject({ code: 'timed_out' })
    expect(signal?.aborted).toBe(true)
  })

  it.each([
    'http://app.example/callback',
    'ftp://127.0.0.1/',
    'myapp:callback',
    'https://app.example/#part',
    '',
  ])('AUTHC-024 does not accept %j as a redirect URI', (wrong) => {
    expect(() => person({ redirectUri: wrong })).toThrow('redirectUri')
  })
})

describe('the authorization response', () => {
  const unredeemed = async (redirect: (answer: URL) => void, advertised = true) => {
    await using at = await setting({
      redirect,
      metadata: (own) => ({ ...own, authorization_response_iss_parameter_supported: advertised }),
    })
    const thrown = await thrownBy(call(person(), at.server.url))
    return { thrown, redeemed: at.as.redemptions().length }
  }
  const withIss = (iss: string | undefined) => (answer: URL) => {
    if (iss === undefined) answer.searchParams.delete('iss')
    else answer.searchParams.set('iss', iss)
  }

  it.each([
    ['missing', (answer: URL) => answer.searchParams.delete('state')],
    ['wrong', (answer: URL) => answer.searchParams.set('state', 'guess')],
    ['there twice', (answer: URL) => answer.searchParams.append('state', 'guess')],
  ])('AUTHC-010 is dropped if its state is %s', async (_what, redirect) => {
    expect(await unredeemed(redirect)).toMatchObject({ thrown: { code: 'bad_answer' }, redeemed: 0 })
  })

  it.each([
    [true, 'present', undefined, 0],
    [true, 'wrong', 'https://evil.example', 1],
    [true, 'absent', '', 1],
    [false, 'present', undefined, 0],
    [false, 'wrong', 'https://evil.example', 1],
    [false, 'empty', 'empty', 1],
  ])('AUTHC-012 with iss advertised: %s, and iss %s', async (advertised, _what, iss, refused) => {
    const redirect = iss === undefined ? () => undefined : withIss(iss === '' ? undefined : iss === 'empty' ? '' : iss)
    const { thrown, redeemed } = await unredeemed(redirect, advertised)
    expect({ refused: thrown === undefined ? 0 : 1, redeemed }).toEqual({ refused, redeemed: 1 - refused })
  })

  it('AUTHC-012 needs no iss if none was advertised', async () => {
    expect(await unredeemed(withIss(undefined), false)).toEqual({ thrown: undefined, redeemed: 1 })
  })

  it.each([
    ['a trailing slash', (iss: string) => `${iss}/`],
    ['upper case', (iss: string) => iss.toUpperCase()],
    ['percent-encoding', (iss: string) => iss.replace('127', '%3127')],
  ])('AUTHC-013 is refused if its iss differs by %s', async (_what, change) => {
    const redirect = (answer: URL) => answer.searchParams.set('iss', change(answer.searchParams.get('iss') ?? ''))
    expect(await unredeemed(redirect)).toMatchObject({ thrown: { code: 'wrong_issuer' }, redeemed: 0 })
  })

  it('AUTHC-013 of another issuer is not quoted, not even its error', async () => {
    const { thrown } = await unredeemed((answer) => {
      answer.search = `?error=phish&error_description=visit+evil&error_uri=https://evil.example&iss=https://evil.example&state=${answer.searchParams.get('state')}`
    })
    expect(thrown).toMatchObject({ code: 'wrong_issuer', oauthError: undefined })
    expect(String(thrown)).not.toMatch(/phish|evil/)
  })

  it('of the right issuer is quoted if it is an error', async () => {
    const { thrown, redeemed } = await unredeemed((answer) => {
      answer.searchParams.delete('code')
      answer.searchParams.set('error', 'access_denied')
    })
    expect({ thrown, redeemed }).toMatchObject({
      thrown: { code: 'authorization_refused', oauthError: 'access_denied' },
      redeemed: 0,
    })
  })

  it.each([
    ['?code=c&state=s', 'has no `iss`, which '],
    ['?code=c&iss=https://as.example', 'another state than the authorization request'],
    ['?code=c&iss=https://as.example&state=t', 'another state than the authorization request'],
    ['?iss=https://as.example&state=s', 'contains no code'],
  ])('is read only as far as it is trusted: %s', (answer, message) => {
    const record = { issuer: 'https://as.example', issPromised: true, state: 's', verifier: 'v', redirectUri }
    expect(() => checkedAuthorizationAnswer(answer, record)).toThrow(message)
  })

  it('AUTHC-011 is checked against the issuer of its own request, even with concurrent requests', async () => {
    await using honest = await setting()
    await using other = await setting()
    const pages: URL[] = []
    const credentials = person({
      authorize: async (page) => {
        pages.push(page)
        await expect.poll(() => pages).toHaveLength(2)
        // Both requests are pending; each gets the response of the other.
        return agree(pages.find((one) => one !== page)!)
      },
    })
    const calls = [honest, other].map((at) => thrownBy(call(credentials, at.server.url)))
    expect(await Promise.all(calls)).toMatchObject([{ code: 'wrong_issuer' }, { code: 'wrong_issuer' }])
    expect([...honest.as.redemptions(), ...other.as.redemptions()]).toEqual([])
  })

  it('must arrive at the redirect URI', async () => {
    await using at = await setting()
    const astray = person({
      authorize: async (page) => (await agree(page)).replace(redirectUri, 'http://127.0.0.1:3001/callback'),
    })
    expect(await thrownBy(call(astray, at.server.url))).toMatchObject({ code: 'bad_answer' })
  })

  it('may be only the query string', async () => {
    await using at = await setting()
    expect(await call(person({ authorize: async (page) => new URL(await agree(page)).search }), at.server.url)).toBe(200)
  })
})

describe('the token', () => {
  it.each([
    'POST',
    'GET',
    'DELETE',
  ] as const)('AUTHC-008 is sent in the header of a %s request, and nowhere else', async (httpMethod) => {
    await using at = await setting()
    const credentials = person()
    await call(credentials, at.server.url)
    expect(await call(credentials, at.server.url, { httpMethod, tries: 0 })).toBe(200)
    const last = at.server.seen.at(-1)!
    expect(last.headers.authorization).toMatch(/^Bearer access-\d+$/)
    expect(last.target).toBe('/mcp')
  })

  it('AUTHC-009 of one server is not sent to another', async () => {
    await using first = await setting()
    await using second = await setting()
    const credentials = person()
    await call(credentials, first.server.url)
    const headers = (url: string, server = url) => credentials.headers({ server, url, httpMethod: 'POST' })
    expect(await headers(second.server.url)).toEqual({})
    expect(await headers(`${first.server.url}/other`)).toEqual({})
    expect(await headers(`${first.server.origin}/messages`, first.server.url)).toHaveProperty('authorization')
    expect(await headers(second.server.url, first.server.url)).toEqual({})
    await call(credentials, second.server.url)
    const shown = second.server.seen.map(({ headers }) => headers.authorization).filter(Boolean)
    expect(shown).toEqual([expect.not.stringContaining(first.server.seen.at(-1)!.headers.authorization!)])
  })

  it('AUTHC-024 is not sent over a network without TLS', async () => {
    const store = memoryTokens()
    for (const scheme of ['http', 'https']) {
      const url = `${scheme}://mcp.example/mcp`
      await store.set(`server ${url}`, JSON.stringify({ issuer: 'https://as.example', resource: url }))
      await store.set(`tokens https://as.example ${url}`, JSON.stringify({ access: 'x', type: 'Bearer', scopes: [] }))
    }
    const headers = (url: string) => person({ store }).headers({ server: url, url, httpMethod: 'POST' })
    expect(await headers('https://mcp.example/mcp')).toEqual({ authorization: 'Bearer x' })
    expect(await headers('http://mcp.example/mcp')).toEqual({})
  })

  it('and all other secrets stay out of errors', async () => {
    const secrets: string[] = []
    await using at = await setting({
      metadata: (own) => ({ ...own, token_endpoint_auth_methods_supported: ['client_secret_post'] }),
      token: (form) => {
        secrets.push(form.get('code')!, form.get('code_verifier')!, form.get('client_secret')!)
        return json({ error: 'invalid_grant', error_description: `${[...form.values()]}` }, 400)
      },
    })
    const thrown = await thrownBy(call(person({ client: { clientId: 'us', clientSecret: 'hush-hush' } }), at.server.url))
    expect(thrown).toMatchObject({ code: 'token_refused', oauthError: 'invalid_grant' })
    expect(thrown).not.toHaveProperty('cause')
    expect(secrets).toHaveLength(3)
    for (const secret of secrets) expect(String((thrown as Error).stack)).not.toContain(secret)
  })

  it('of an unknown type is refused', async () => {
    await using at = await setting({ token: () => json({ access_token: 'x', token_type: 'n_a' }) })
    expect(await thrownBy(call(person(), at.server.url))).toMatchObject({ code: 'bad_answer' })
  })
})
