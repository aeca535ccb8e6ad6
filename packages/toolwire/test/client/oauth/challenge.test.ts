import { describe, expect, it } from 'vitest'
import { parseChallenges, readChallengeDemands } from '../../../src/client/oauth/challenge.js'
import { expectWithin } from '../../soak.js'

describe('WWW-Authenticate', () => {
  it.each([
    ['Bearer resource_metadata="https://a/b"', 'https://a/b'],
    ['bearer Resource_Metadata=https://a/b', 'https://a/b'],
    ['BEARER realm="a, Basic b=\\"c\\"", resource_metadata="https://a/b"', 'https://a/b'],
    ['Basic realm="x", Bearer error="invalid_token", resource_metadata="https://a/b"', 'https://a/b'],
    ['Negotiate YWJjZA==, Bearer resource_metadata="https://a/b"', 'https://a/b'],
    ['Negotiate YWJjZA, Bearer resource_metadata = "https://a/b"', 'https://a/b'],
    ['Negotiate,Bearer resource_metadata="https://a/b"', 'https://a/b'],
    ['Bearer realm="x" resource_metadata="https://a/b"', 'https://a/b'],
    [',, Bearer ,resource_metadata="https://a/b",,', 'https://a/b'],
    ['Bearer, Bearer resource_metadata="https://a/b"', 'https://a/b'],
    ['DPoP algs="ES256", resource_metadata="https://a/b"', 'https://a/b'],
    ['Bearer resource_metadata="https://a/b', 'https://a/b'],
    ['Bearer resource_metadata="https://a/b", resource_metadata="https://evil/"', 'https://a/b'],
    ['Basic resource_metadata="https://evil/"', undefined],
    ['Bearer realm="resource_metadata=https://evil/"', undefined],
    ['', undefined],
  ])('AUTHC-001 reads the resource metadata of %s', (header, expected) => {
    expect(readChallengeDemands(header).resourceMetadata).toBe(expected)
  })

  it('separates challenges and their parameters', () => {
    const found = parseChallenges(
      'Basic realm="a b", Digest qop="auth,auth-int", nonce=x1, Bearer scope="a  b", error=insufficient_scope',
    )
    expect(found.map(({ scheme, params }) => [scheme, ...params])).toEqual([
      ['basic', ['realm', 'a b']],
      ['digest', ['qop', 'auth,auth-int'], ['nonce', 'x1']],
      ['bearer', ['scope', 'a  b'], ['error', 'insufficient_scope']],
    ])
    expect(readChallengeDemands('Bearer scope="a  b", error=insufficient_scope')).toEqual({
      scopes: ['a', 'b'],
      error: 'insufficient_scope',
      dpop: false,
    })
  })

  it.each([
    '"'.repeat(1e5),
    '= '.repeat(1e5),
    'a='.repeat(1e5),
    '\\"a=" '.repeat(1e5),
    'Bearer '.repeat(1e5),
  ])('is parsed in one pass, whatever the input', (header) => {
    const start = performance.now()
    parseChallenges(header)
    expectWithin(performance.now() - start, 500)
  })
})
