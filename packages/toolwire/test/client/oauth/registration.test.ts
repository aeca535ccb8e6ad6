import { describe, expect, it } from 'vitest'
import { clientMetadataDocument, memoryTokens, type OAuthOptions } from '../../../src/client/oauth/index.js'
import { type Authority, authority } from './authority.js'
import { call, thrownBy } from './call.js'
import { guarded } from './guarded.js'
import { person, redirectUri, setting } from './setting.js'
import { json } from './web.js'

const documentUrl = 'https://app.example/client.json'
const idsAt = (as: Authority) => as.authorizations().map((query) => query.get('client_id'))

describe('the client identity', () => {
  const knowsDocuments = { client_id_metadata_document_supported: true }
  const noRegistration = { registration_endpoint: undefined }
  const client = { client: { clientId: 'given' } }
  const document = { clientIdMetadataUrl: documentUrl }

  it.each<[string, Partial<OAuthOptions>, object, unknown]>([
    ['pre-registered, before all else', { ...client, ...document }, knowsDocuments, 'given'],
    ['a metadata document, where they are known', document, knowsDocuments, documentUrl],
    ['registered now, where documents are not known', document, {}, expect.stringMatching(/^client-/)],
    ['registered now, where there is no document', {}, knowsDocuments, expect.stringMatching(/^client-/)],
    ['nobody', document, noRegistration, undefined],
  ])('AUTHC-014 is %s', async (_who, options, metadata, expected) => {
    await using at = await setting({ metadata: (own) => ({ ...own, ...metadata }) })
    const thrown = await thrownBy(call(person(options), at.server.url))
    expect(idsAt(at.as)).toEqual(expected === undefined ? [] : [expected])
    expect(thrown).toEqual(expected === undefined ? expect.objectContaining({ code: 'no_registration' }) : undefined)
  })

  it('AUTHC-016 is registered once, and stored', async () => {
    await using at = await setting()
    const store = memoryTokens()
    await call(person({ store, clientName: 'Test' }), at.server.url)
    await call(
      person({ store: { ...store, get: (key) => (key.startsWith('client') ? store.get(key) : undefined) } }),
      at.server.url,
    )
    expect(at.as.registrations()).toEqual([expect.objectContaining({ client_name: 'Test', redirect_uris: [redirectUri] })])
    expect(at.as.registrations()[0]?.grant_types).toEqual(['authorization_code', 'refresh_token'])
    expect(new Set(idsAt(at.as)).size).toBe(1)
    expect(at.as.redemptions().map((form) => form.get('client_id'))).toEqual(idsAt(at.as))
  })

  it.each([
    [redirectUri, 'native'],
    ['http://localhost:3000/callback', 'native'],
    ['http://[::1]:3000/callback', 'native'],
    ['https://app.example/callback', 'web'],
  ])('AUTHC-017 with the redirect URI %s is a %s application', async (uri, type) => {
    await using at = await setting()
    await call(person({ redirectUri: uri }), at.server.url)
    expect(at.as.registrations()).toMatchObject([{ application_type: type }])
  })

  it('AUTHC-017 causes an error with the reason if a redirect URI was refused', async () => {
    const refusal = { error: 'invalid_redirect_uri', error_description: 'native apps only' }
    await using at = await setting({ register: () => json(refusal, 400) })
    const thrown = await thrownBy(call(person(), at.server.url))
    expect(thrown).toMatchObject({ code: 'registration_refused', oauthError: 'invalid_redirect_uri' })
    expect(String(thrown)).toContain('native apps only')
  })

  it('is registered again if the server has deleted it', async () => {
    let forgotten = true
    await using at = await setting({ token: () => (forgotten ? json({ error: 'invalid_client' }, 401) : undefined) })
    const credentials = person()
    expect(await thrownBy(call(credentials, at.server.url))).toMatchObject({ oauthError: 'invalid_client' })
    forgotten = false
    expect(await call(credentials, at.server.url)).toBe(200)
    expect(at.as.registrations()).toHaveLength(2)
  })

  it.each([
    [['client_secret_basic'], 'client_secret_basic'],
    [['client_secret_post'], 'client_secret_post'],
    [['client_secret_post', 'client_secret_basic'], 'client_secret_basic'],
    [['none', 'client_secret_basic'], 'none'],
    [undefined, 'client_secret_basic'],
  ])('uses an authentication method that the authorization server supports: %j', async (methods, expected) => {
    await using at = await setting({
      metadata: (own) => ({ ...own, token_endpoint_auth_methods_supported: methods }),
      register: ({ body }) => {
        const { token_endpoint_auth_method: method } = JSON.parse(body)
        return json({ client_id: 'a-b_c d', client_secret: 's:/?', token_endpoint_auth_method: method }, 201)
      },
    })
    await call(person(), at.server.url)
    const [{ headers }] = at.as.at('/token') as [Authority['seen'][0]]
    const [form] = at.as.redemptions()
    const basic = `Basic ${btoa('a-b_c+d:s%3A%2F%3F')}`
    expect(headers.authorization).toBe(expected === 'client_secret_basic' ? basic : undefined)
    expect(form?.get('client_secret')).toBe(expected === 'client_secret_post' ? 's:/?' : null)
    expect(at.as.registrations()).toMatchObject([{ token_endpoint_auth_method: expected }])
  })
})

describe('several authorization servers', () => {
  async function movingServer() {
    const [first, second] = [await authority(), await authority()]
    let issuer = first.issuer
    const server = await guarded({ issuers: () => [issuer] })
    server.script.refuse = (token) => (moved && token === before ? { status: 401 } : undefined)
    let moved = false
    let before = ''
    const move = () => {
      before = server.seen.at(-1)?.headers.authorization?.split(' ')[1] ?? ''
      moved = true
      issuer = second.issuer
    }
    const end = () => Promise.all([first, second, server].map((one) => one[Symbol.asyncDispose]()))
    return { first, second, server, move, [Symbol.asyncDispose]: async () => void (await end()) }
  }

  it('AUTHC-018 get separate registrations: after a change the client registers again', async () => {
    await using at = await movingServer()
    const credentials = person()
    expect(await call(credentials, at.server.url)).toBe(200)
    at.move()
    expect(await call(credentials, at.server.url)).toBe(200)
    expect(at.second.registrations()).toHaveLength(1)
    expect(idsAt(at.second)).not.toContain(idsAt(at.first)[0])
    expect(at.second.redemptions().map((form) => form.get('client_id'))).not.toContain(idsAt(at.first)[0])
  })

  it.each([[true], [false]])('AUTHC-018 do not receive credentials for another (issuer given: %s)', async (said) => {
    await using at = await movingServer()
    const issuer = said ? { issuer: at.first.issuer } : {}
    const credentials = person({ client: { clientId: 'ours', clientSecret: 'secret', ...issuer } })
    expect(await call(credentials, at.server.url)).toBe(200)
    at.move()
    expect(await thrownBy(call(credentials, at.server.url))).toMatchObject({ code: 'wrong_issuer' })
    expect(at.second.authorizations()).toEqual([])
    expect(at.second.redemptions()).toEqual([])
  })

  it('AUTHC-019 have separate registrations and tokens in the store', async () => {
    await using at = await movingServer()
    const kept = new Map<string, string>()
    const store = {
      ...memoryTokens(),
      get: (key: string) => kept.get(key),
      set: (key: string, value: string) => void kept.set(key, value),
    }
    const credentials = person({ store })
    await call(credentials, at.server.url)
    at.move()
    await call(credentials, at.server.url)
    for (const { issuer } of [at.first, at.second])
      expect([...kept.keys()].filter((key) => key.includes(issuer)).map((key) => key.split(' ')[0])).toEqual(['client', 'tokens'])
    expect(new Set(kept.values()).size).toBe(kept.size)
  })
})

describe('the client metadata document', () => {
  const description = { url: documentUrl, clientName: 'App', redirectUris: [redirectUri] }

  it('AUTHC-015 has its own URL as client_id, a name and redirect URIs', () => {
    expect(clientMetadataDocument(description)).toMatchObject({
      client_id: documentUrl,
      client_name: 'App',
      redirect_uris: [redirectUri],
      grant_types: ['authorization_code', 'refresh_token'],
    })
  })

  it.each([
    'http://app.example/client.json',
    'https://app.example/',
    'https://app.example',
    'https://app.example/a/../b',
    'https://u:p@app.example/c',
    'https://app.example/c#d',
    'c',
  ])('AUTHC-015 may not be at %s', (url) => {
    expect(() => clientMetadataDocument({ ...description, url })).toThrow('https')
    expect(() => person({ clientIdMetadataUrl: url })).toThrow('https')
  })

  it.each([
    { clientName: '' },
    { redirectUris: [] },
    { redirectUris: ['http://app.example/'] },
  ])('AUTHC-015 is refused with %j', (wrong) => {
    expect(() => clientMetadataDocument({ ...description, ...wrong })).toThrow()
  })
})
