import { describe, expect, it } from 'vitest'
import { memoryTokens } from '../../../src/client/oauth/index.js'
import { tokensFrom } from '../../../src/client/oauth/tokens/tokens.js'
import { agree } from './authority.js'
import { call, thrownBy } from './call.js'
import { needs } from './guarded.js'
import { person, setting } from './setting.js'
import { type Answer, json } from './web.js'

let count = 0
const pair = (more: object = {}): Answer =>
  json({ access_token: `a${++count}`, refresh_token: `r${count}`, token_type: 'bearer', expires_in: 3600, ...more })
const grants = (forms: URLSearchParams[]) => forms.map((form) => form.get('grant_type'))
const expired: Answer = { status: 401, headers: { 'www-authenticate': 'Bearer error="invalid_token"' } }

/** A server that can invalidate its earlier tokens. */
async function forgetful(token?: (form: URLSearchParams) => Answer | Promise<Answer>) {
  const spent = new Set<string>()
  const at = await setting({ token: token ?? (() => pair()) }, { refuse: (one) => (spent.has(one) ? expired : undefined) })
  const forget = () => at.server.seen.map(({ headers }) => spent.add(headers.authorization?.split(' ')[1] ?? ''))
  return { ...at, forget }
}

describe('refreshing', () => {
  it('AUTHC-007 names the resource server', async () => {
    await using at = await forgetful()
    const credentials = person()
    await call(credentials, at.server.url)
    at.forget()
    expect(await call(credentials, at.server.url)).toBe(200)
    expect(grants(at.as.redemptions())).toEqual(['authorization_code', 'refresh_token'])
    expect(at.as.redemptions()[1]?.get('resource')).toBe(at.server.url)
    expect(at.as.authorizations()).toHaveLength(1)
  })

  it('happens once for many concurrent calls', async () => {
    await using at = await forgetful()
    const credentials = person()
    await call(credentials, at.server.url)
    at.forget()
    const calls = Array.from({ length: 50 }, () => call(credentials, at.server.url))
    expect(new Set(await Promise.all(calls))).toEqual(new Set([200]))
    expect(grants(at.as.redemptions())).toEqual(['authorization_code', 'refresh_token'])
  })

  it('happens before the known expiry of the token', async () => {
    const lives = [0, 3600]
    await using at = await forgetful(() => pair({ expires_in: lives.shift() }))
    const credentials = person()
    await call(credentials, at.server.url)
    const calls = at.server.at('/mcp').length
    expect(await call(credentials, at.server.url)).toBe(200)
    expect(at.server.at('/mcp')).toHaveLength(calls + 1)
    expect(at.server.seen.at(-1)?.headers.authorization).toBe(`Bearer a${count}`)
  })

  it('never crosses accounts, because another authorization may belong to another one', async () => {
    let isRevoked = false
    await using at = await forgetful((form) =>
      isRevoked && form.has('refresh_token') ? json({ error: 'invalid_grant' }, 400) : pair(),
    )
    const credentials = person()
    const principals = new Set()
    const calls = async () => {
      at.forget()
      await call(credentials, at.server.url)
      principals.add(credentials.principal?.())
    }
    for (const _ of ['authorization', 'refresh']) await calls()
    expect(principals.size).toBe(1)
    isRevoked = true
    await calls()
    expect(at.as.authorizations()).toHaveLength(2)
    expect(principals.size).toBe(2)
    expect(person().principal?.()).not.toBe(person().principal?.())
  })

  it('uses the latest refresh token', async () => {
    await using at = await forgetful()
    const credentials = person()
    await call(credentials, at.server.url)
    const first = count
    for (const _ of [1, 2]) {
      at.forget()
      await call(credentials, at.server.url)
    }
    expect(at.as.redemptions().map((form) => form.get('refresh_token'))).toEqual([null, `r${first}`, `r${first + 1}`])
  })

  it('keeps a refresh token that was not replaced', async () => {
    await using at = await forgetful((form) => pair(form.has('code') ? {} : { refresh_token: undefined }))
    const credentials = person()
    await call(credentials, at.server.url)
    const first = count
    for (const _ of [1, 2]) {
      at.forget()
      await call(credentials, at.server.url)
    }
    expect(at.as.redemptions().map((form) => form.get('refresh_token'))).toEqual([null, `r${first}`, `r${first}`])
  })

  it('AUTHC-025 is optional: without a refresh token the person is asked again', async () => {
    await using at = await forgetful(() => pair({ refresh_token: undefined }))
    const credentials = person()
    await call(credentials, at.server.url)
    at.forget()
    expect(await call(credentials, at.server.url)).toBe(200)
    expect(grants(at.as.redemptions())).toEqual(['authorization_code', 'authorization_code'])
  })

  it('AUTHC-025 is optional: if it is refused the person is asked again', async () => {
    await using at = await forgetful((form) => (form.has('refresh_token') ? json({ error: 'invalid_grant' }, 400) : pair()))
    const credentials = person()
    await call(credentials, at.server.url)
    at.forget()
    expect(await call(credentials, at.server.url)).toBe(200)
    expect(grants(at.as.redemptions())).toEqual(['authorization_code', 'refresh_token', 'authorization_code'])
  })

  it.each([
    'invalid_client',
    'unauthorized_client',
    'invalid_target',
    'invalid_scope',
  ])('keeps the refresh token after another error: %s', async (error) => {
    const store = memoryTokens()
    let isRefusing = true
    await using at = await forgetful((form) => (isRefusing && form.has('refresh_token') ? json({ error }, 400) : pair()))
    const authorize = async (page: URL) => (at.as.redemptions().length > 0 ? Promise.reject(new Error('nobody')) : agree(page))
    const credentials = person({ store, client: { clientId: 'us', clientSecret: 'hush' }, authorize })
    await call(credentials, at.server.url)
    const first = count
    at.forget()
    expect(await thrownBy(call(credentials, at.server.url))).toBeInstanceOf(Error)
    isRefusing = false
    expect(await call(person({ store, client: { clientId: 'us', clientSecret: 'hush' }, authorize }), at.server.url)).toBe(200)
    expect(at.as.redemptions().map((form) => form.get('refresh_token'))).toEqual([null, `r${first}`, `r${first}`])
  })

  it('asks the person again if the client registration was deleted', async () => {
    const gone = new Set<string | null>()
    await using at = await forgetful((form) =>
      gone.has(form.get('client_id')) ? json({ error: 'invalid_client' }, 401) : pair(),
    )
    const credentials = person()
    await call(credentials, at.server.url)
    gone.add(at.as.redemptions()[0]!.get('client_id'))
    at.forget()
    expect(await call(credentials, at.server.url)).toBe(200)
    expect(grants(at.as.redemptions())).toEqual(['authorization_code', 'refresh_token', 'authorization_code'])
    at.forget()
    expect(await call(credentials, at.server.url)).toBe(200)
    expect(at.as.registrations()).toHaveLength(2)
    expect(at.as.authorizations()).toHaveLength(2)
  })

  it('succeeds later after a 401 from a proxy', async () => {
    const proxy: Answer = { status: 401, headers: { 'www-authenticate': 'Basic realm="proxy"' } }
    const answers = [proxy]
    await using at = await forgetful((form) => (form.has('refresh_token') ? (answers.pop() ?? pair()) : pair()))
    const credentials = person()
    await call(credentials, at.server.url)
    at.forget()
    expect(await thrownBy(call(credentials, at.server.url))).toMatchObject({ code: 'bad_answer' })
    expect(await call(credentials, at.server.url)).toBe(200)
    expect([at.as.authorizations().length, at.as.registrations().length]).toEqual([1, 1])
  })

  it.each([
    [429, 'too_many_requests'],
    [400, 'temporarily_unavailable'],
  ])('is retried later if the authorization server is busy: %i %s', async (status, error) => {
    const busy = [json({ error }, status)]
    await using at = await forgetful((form) => (form.has('refresh_token') ? (busy.pop() ?? pair()) : pair()))
    const credentials = person()
    await call(credentials, at.server.url)
    at.forget()
    expect(await thrownBy(call(credentials, at.server.url))).toMatchObject({ code: 'unreachable', oauthError: error })
    expect(await call(credentials, at.server.url)).toBe(200)
    expect(at.as.authorizations()).toHaveLength(1)
  })

  it('adopts the tokens of another process that has just used the refresh token', async () => {
    const kept = new Map<string, string>()
    const store = {
      get: (key: string) => kept.get(key),
      set: (key: string, text: string) => void kept.set(key, text),
      delete: () => undefined,
    }
    await using at = await forgetful((form) => {
      if (!form.has('refresh_token')) return pair()
      for (const [key, text] of kept)
        if (key.startsWith('tokens ')) kept.set(key, text.replaceAll(/"([ar])\d+"/g, '"$1-of-the-other"'))
      return json({ error: 'invalid_grant' }, 400)
    })
    const credentials = person({ store })
    await call(credentials, at.server.url)
    at.forget()
    expect(await call(credentials, at.server.url)).toBe(200)
    expect(at.server.seen.at(-1)?.headers.authorization).toBe('Bearer a-of-the-other')
    expect(at.as.authorizations()).toHaveLength(1)
    expect([...kept.values()].join()).toContain('r-of-the-other')
  })

  it('uses a refresh token once among several processes', async () => {
    let last: Promise<unknown> = Promise.resolve()
    const inTurn = <T>(work: () => Promise<T>): Promise<T> => {
      const mine = last.then(work, work)
      last = mine
      return mine
    }
    const store = { ...memoryTokens(), inTurn }
    const processes = [person({ store }), person({ store })]
    await using at = await forgetful(async (form) => {
      // Long enough for the other process to reach this point.
      if (form.has('refresh_token')) await new Promise((resolve) => setTimeout(resolve, 500))
      return pair()
    })
    for (const one of processes) await call(one, at.server.url)
    at.forget()
    expect(await Promise.all(processes.map((one) => call(one, at.server.url)))).toEqual([200, 200])
    expect(grants(at.as.redemptions())).toEqual(['authorization_code', 'refresh_token'])
    expect(new Set(at.server.seen.slice(-2).map(({ headers }) => headers.authorization))).toEqual(new Set([`Bearer a${count}`]))
  })

  it.each(['server', 'dpop'])('continues after a temporary read error of the store: %s', async (section) => {
    await using at = await setting({ token: () => pair({ token_type: 'DPoP' }) })
    const kept = memoryTokens()
    let isAway = true
    const get = (key: string) => {
      if (!isAway || !key.startsWith(section)) return kept.get(key)
      isAway = false
      throw new Error('the store is away')
    }
    const credentials = person({ store: { ...kept, get }, dpop: true })
    await expect(call(credentials, at.server.url)).rejects.toThrow('the store is away')
    expect(await call(credentials, at.server.url)).toBe(200)
  })

  it('AUTHC-025 keeps refresh tokens from the resource server', async () => {
    await using at = await forgetful()
    const credentials = person()
    await call(credentials, at.server.url)
    at.forget()
    await call(credentials, at.server.url)
    expect(JSON.stringify(at.server.seen)).not.toMatch(/\br\d+\b/)
  })

  it('ahead of time, if it fails, does not prevent asking the person after a refusal', async () => {
    const lives = [0.0001, 3600]
    let refuse = (_answer: Answer) => {}
    const slow = new Promise<Answer>((resolve) => {
      refuse = resolve
    })
    await using at = await forgetful((form) => (form.has('refresh_token') ? slow : pair({ expires_in: lives.shift() })))
    const credentials = person()
    const request = { server: at.server.url, url: at.server.url, httpMethod: 'POST' } as const
    const challenge = { status: 401, wwwAuthenticate: 'Bearer', header: () => undefined, method: 'tools/call' } as const
    expect(await credentials.refused({ ...request, ...challenge, sent: {} })).toBe(true)
    const sent = { authorization: `Bearer a${count}` }
    const early = credentials.headers(request)
    await expect.poll(() => at.as.redemptions()).toHaveLength(2)
    const refused = credentials.refused({ ...request, ...challenge, sent })
    refuse(json({ error: 'invalid_grant' }, 400))
    expect(await refused).toBe(true)
    expect(grants(at.as.redemptions())).toEqual(['authorization_code', 'refresh_token', 'authorization_code'])
    expect(await early).toBeDefined()
  })

  it('continues in the next process', async () => {
    await using at = await forgetful()
    const store = memoryTokens()
    await call(person({ store }), at.server.url)
    at.forget()
    expect(await call(person({ store }), at.server.url)).toBe(200)
    expect(grants(at.as.redemptions())).toEqual(['authorization_code', 'refresh_token'])
  })

  it('adopts the tokens that another process has got meanwhile', async () => {
    await using at = await forgetful()
    const store = memoryTokens()
    const [one, other] = [person({ store }), person({ store })]
    await call(one, at.server.url)
    await call(other, at.server.url)
    at.forget()
    await call(one, at.server.url)
    expect(await call(other, at.server.url)).toBe(200)
    expect(grants(at.as.redemptions())).toEqual(['authorization_code', 'refresh_token'])
  })

  it('ends if the server accepts no token', async () => {
    await using at = await setting({ token: () => pair() }, { refuse: () => expired })
    expect(await call(person(), at.server.url)).toBe(401)
    expect(at.as.redemptions()).toHaveLength(3)
  })

  it('does not ask the person after a network failure', async () => {
    await using at = await forgetful()
    const credentials = person()
    await call(credentials, at.server.url)
    at.forget()
    await at.as[Symbol.asyncDispose]()
    expect(await thrownBy(call(credentials, at.server.url))).toMatchObject({ code: 'unreachable' })
    expect(at.as.authorizations()).toHaveLength(1)
  })
})

describe('the lifetime of a token', () => {
  it.each([
    [3600, 3570],
    [100, 90],
    [0, undefined],
    [-1, undefined],
    [undefined, undefined],
  ])('of %s seconds ends a little sooner, after %s', (life, expected) => {
    const answer = { access_token: 'a', token_type: 'bearer' as const, ...(life !== undefined && { expires_in: life }) }
    expect(tokensFrom(answer, [], 0).staleAt).toBe(expected && expected * 1_000)
  })
})

describe('requests that were pending when tokens were replaced', () => {
  const challengeOf = (server: string, sent: Record<string, string>, demand = 'error="invalid_token"') => {
    const status = demand.includes('scope') ? (403 as const) : (401 as const)
    const answer = { status, wwwAuthenticate: `Bearer ${demand}`, header: () => undefined, method: 'tools/call' }
    return { server, url: server, httpMethod: 'POST' as const, sent, ...answer }
  }

  it.each([
    'error="invalid_token"',
    'error="insufficient_scope", scope="orders"',
  ])('are sent again without another renewal: %s', async (demand) => {
    await using at = await forgetful()
    const credentials = person()
    await call(credentials, at.server.url)
    const sent = await credentials.headers({ server: at.server.url, url: at.server.url, httpMethod: 'POST' })
    for (let count = 0; count < 8; count++) expect(await credentials.refused(challengeOf(at.server.url, sent, demand))).toBe(true)
    expect(at.as.redemptions()).toHaveLength(2)
  })

  it('do not include later requests just because earlier ones were never answered', async () => {
    await using at = await forgetful()
    const credentials = person()
    const headers = () => credentials.headers({ server: at.server.url, url: at.server.url, httpMethod: 'POST' })
    await call(credentials, at.server.url)
    for (let count = 0; count < 6; count++) await headers()
    at.forget()
    await call(credentials, at.server.url)
    const isTooLittle = await headers()
    at.server.script.refuse = (token) => (isTooLittle.authorization?.endsWith(token) ? needs('orders') : undefined)
    expect(await call(credentials, at.server.url, { tries: 1 })).toBe(200)
    expect(at.as.authorizations().map((query) => query.get('scope'))).toEqual([null, 'orders'])
  })
})
