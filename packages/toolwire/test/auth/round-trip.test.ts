// Our client signs in at an authorization server and is accepted by our server.
import { describe, expect, it } from 'vitest'
import { oauthResource } from '../../src/auth/index.js'
import { connect } from '../../src/client/index.js'
import { type Authority, authority } from '../client/oauth/authority.js'
import { person } from '../client/oauth/setting.js'
import { json } from '../client/oauth/web.js'
import { type Issuer, issuer, seconds } from './issuer.js'
import { type Served, serve } from './served.js'

interface Setting extends AsyncDisposable {
  readonly as: Authority
  readonly keys: Issuer
  readonly at: Served
  /** Offset of the test clock from the real one, in milliseconds. */
  readonly clock: { ahead: number }
}

/** An authorization server that grants every requested scope for the given lifetime. */
async function setUp(lifeSeconds = 300): Promise<Setting> {
  const keys = await issuer()
  const clock = { ahead: 0 }
  const now = () => Date.now() + clock.ahead
  const as: Authority = await authority({
    metadata: (own) => ({ ...own, jwks_uri: keys.jwks }),
    token: async (form) => {
      const scope = as.authorizations().at(-1)?.get('scope') ?? ''
      const claims = { iss: as.issuer, scope, exp: seconds(lifeSeconds) }
      return json({ access_token: await keys.token(form.get('resource') ?? '', claims), token_type: 'Bearer', scope })
    },
  })
  const at = await serve((url) =>
    oauthResource({ url, issuer: as.issuer, scopes: ['files:read'], stepUp: 'challenge', clockSkewSeconds: 0, now }),
  )
  return {
    as,
    keys,
    at,
    clock,
    async [Symbol.asyncDispose]() {
      await at[Symbol.asyncDispose]()
      await as[Symbol.asyncDispose]()
      await keys[Symbol.asyncDispose]()
    },
  }
}

const said = ({ content }: { content: readonly unknown[] }) => (content[0] as { text: string }).text // every tool here returns one block

describe('a client that knows only the URL of the server', () => {
  it.each(['2025-03-26', '2025-06-18', '2025-11-25', '2026-07-28'])('signs in and calls, in %s', async (revision) => {
    await using s = await setUp()
    await using files = await connect(s.at.url, { auth: person(), revision })
    expect(said(await files.call('who'))).toBe(`${s.as.issuer} ana [files:read]`)
    expect(said(await files.call('read'))).toBe('read')
    expect(s.as.authorizations().map((query) => [query.get('scope'), query.get('resource')])).toEqual([['files:read', s.at.url]])
  })

  it.each(['2025-06-18', '2026-07-28'])('gets more scopes when a tool needs more, in %s', async (revision) => {
    await using s = await setUp()
    await using files = await connect(s.at.url, { auth: person(), revision })
    expect(said(await files.call('publish'))).toBe('published')
    const asked = s.as.authorizations().map((query) => query.get('scope')?.split(' ').sort())
    expect(asked).toEqual([['files:read'], ['files:read', 'files:write']])
  })

  it('signs in again when its token has expired', async () => {
    await using s = await setUp(2)
    await using files = await connect(s.at.url, { auth: person() })
    expect(said(await files.call('read'))).toBe('read')
    await new Promise((resolve) => setTimeout(resolve, 2_200))
    expect(said(await files.call('read'))).toBe('read')
    expect(s.as.redemptions().length).toBeGreaterThan(1)
  })

  it('continues after the keys are rotated', async () => {
    await using s = await setUp()
    await using before = await connect(s.at.url, { auth: person() })
    expect(said(await before.call('read'))).toBe('read')
    await s.keys.rotate()
    s.clock.ahead = 31_000
    await using after = await connect(s.at.url, { auth: person() })
    expect(said(await after.call('read'))).toBe('read')
    expect(s.keys.at('/jwks')).toHaveLength(2)
  })
})
