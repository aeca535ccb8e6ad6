import { createHash, createPublicKey, type JsonWebKey, verify } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { memoryTokens } from '../../../src/client/oauth/index.js'
import { call, thrownBy } from './call.js'
import { person, setting } from './setting.js'
import { type Answer, type Asked, json } from './web.js'

type Proof = { header: { typ: string; alg: string; jwk: JsonWebKey }; payload: Record<string, unknown> }

function proofOf({ headers }: Asked): Proof {
  const [header, payload, signature] = String(headers.dpop).split('.') as [string, string, string]
  const parsed: Proof = { header: decoded(header), payload: decoded(payload) }
  const key = { key: createPublicKey({ key: parsed.header.jwk, format: 'jwk' }), dsaEncoding: 'ieee-p1363' as const }
  expect(verify('sha256', Buffer.from(`${header}.${payload}`), key, Buffer.from(signature, 'base64url'))).toBe(true)
  return parsed
}
const decoded = (part: string) => JSON.parse(Buffer.from(part, 'base64url').toString())

const bound = json({ access_token: 'bound', token_type: 'DPoP', expires_in: 3600 })
const wantsNonce = (nonce: string): Answer => ({
  status: 401,
  headers: { 'www-authenticate': 'DPoP error="use_dpop_nonce"', 'dpop-nonce': nonce },
})

describe('proof of possession', () => {
  it('has a separate proof for each request, with the hash of the token', async () => {
    await using at = await setting({ token: () => bound })
    const credentials = person({ dpop: true })
    await call(credentials, at.server.url)
    await call(credentials, at.server.url, { httpMethod: 'DELETE' })
    const signed = at.server.at('/mcp').filter(({ headers }) => headers.dpop)
    expect(signed.map(({ headers }) => headers.authorization)).toEqual(['DPoP bound', 'DPoP bound'])
    const [post, end] = signed.map(proofOf) as [Proof, Proof]
    expect(post.header).toMatchObject({ typ: 'dpop+jwt', alg: 'ES256' })
    expect(post.header.jwk).not.toHaveProperty('d')
    const ath = createHash('sha256').update('bound').digest('base64url')
    expect(post.payload).toMatchObject({ htm: 'POST', htu: at.server.url, ath })
    expect(end.payload).toMatchObject({ htm: 'DELETE', htu: at.server.url, ath })
    expect(post.payload.jti).not.toBe(end.payload.jti)
    const atToken = proofOf(at.as.at('/token')[0]!)
    expect(atToken.payload).toMatchObject({ htm: 'POST', htu: `${at.as.issuer}/token` })
    expect(atToken.header.jwk).toEqual(post.header.jwk)
  })

  it('has the nonces that the authorization server and the resource server require', async () => {
    await using at = await setting(
      {
        token: (_form, asked) =>
          proofOf(asked).payload.nonce === 'as' ? bound : json({ error: 'use_dpop_nonce' }, 400, { 'dpop-nonce': 'as' }),
      },
      { refuse: (_token, asked) => (proofOf(asked).payload.nonce === 'rs' ? undefined : wantsNonce('rs')) },
    )
    expect(await call(person({ dpop: true }), at.server.url)).toBe(200)
    expect(at.as.at('/token').map((asked) => proofOf(asked).payload.nonce)).toEqual([undefined, 'as'])
    expect(at.as.authorizations()).toHaveLength(1)
  })

  it('adopts a nonce from a successful response', async () => {
    await using at = await setting({ token: () => bound })
    const credentials = person({ dpop: true })
    at.server.script.refuse = () => json({}, 200, { 'dpop-nonce': 'next' })
    await call(credentials, at.server.url)
    await call(credentials, at.server.url)
    expect(proofOf(at.server.seen.at(-1)!).payload.nonce).toBe('next')
  })

  it('ends if the server always requires another nonce', async () => {
    let count = 0
    await using at = await setting({ token: () => bound }, { refuse: () => wantsNonce(`n${++count}`) })
    expect(await call(person({ dpop: true }), at.server.url, { tries: 50 })).toBe(401)
    expect(count).toBeLessThan(20)
    expect(at.as.authorizations()).toHaveLength(1)
  })

  it('is mandatory: an unbound token is not used', async () => {
    await using at = await setting()
    expect(await thrownBy(call(person({ dpop: true }), at.server.url))).toMatchObject({ code: 'bad_answer' })
    expect(at.server.seen.filter(({ headers }) => headers.authorization)).toEqual([])
  })

  it.each([
    ['DPoP', ['ES256'], undefined, true],
    ['DPoP', ['RS256'], undefined, false],
    ['Bearer', ['ES256'], undefined, false],
    ['DPoP', ['ES256'], false, false],
  ])('is used if it is wanted and supported: %s, %j, %s', async (scheme, algorithms, dpop, expected) => {
    await using at = await setting(
      {
        metadata: (own) => ({ ...own, dpop_signing_alg_values_supported: algorithms }),
        token: (_form, { headers }) => (headers.dpop ? bound : undefined),
      },
      { challenge: () => `${scheme} realm="x"` },
    )
    await call(person(dpop === undefined ? {} : { dpop }), at.server.url)
    expect(at.as.at('/token')[0]?.headers.dpop !== undefined).toBe(expected)
    expect(at.server.seen.at(-1)?.headers.authorization?.split(' ')[0]).toBe(expected ? 'DPoP' : 'Bearer')
  })

  it('uses the same key in the next process', async () => {
    await using at = await setting({ token: () => bound })
    const store = memoryTokens()
    await call(person({ dpop: true, store }), at.server.url)
    expect(await call(person({ dpop: true, store }), at.server.url, { tries: 0 })).toBe(200)
    const keys = at.server
      .at('/mcp')
      .slice(1)
      .map((asked) => proofOf(asked).header.jwk.x)
    expect(keys).toHaveLength(2)
    expect(new Set(keys).size).toBe(1)
  })
})
