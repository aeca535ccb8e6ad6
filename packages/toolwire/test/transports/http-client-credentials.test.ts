// Credentials of requests, and the places where they may appear.
import { describe, expect, it } from 'vitest'
import type { Challenge, Credentials } from '../../src/peer/client-transport.js'
import {
  answerTo,
  carriers,
  dial,
  initialize,
  json,
  notice,
  request,
  type Script,
  scriptedHttpServer,
  sessions,
  until,
} from './http-client-fixture.js'

const session = 'a-secret-session'

/** Credentials that record their calls. `renew` decides about a refusal. */
function credentials({
  renew = () => false,
  later = false,
}: {
  renew?: (n: number) => boolean | Promise<boolean>
  later?: boolean
} = {}) {
  const challenges: Challenge[] = []
  const asked: { server: string; url: string; httpMethod: string }[] = []
  const answered: (string | undefined)[] = []
  const made: Credentials = {
    headers: (asking) => {
      asked.push(asking)
      const headers = { Authorization: `Bearer token-${challenges.length}` }
      return later ? Promise.resolve(headers) : headers
    },
    refused: async (challenge) => {
      challenges.push(challenge)
      return renew(challenges.length)
    },
    answered: ({ header }) => void answered.push(header('dpop-nonce')),
  }
  return { challenges, asked, answered, credentials: made }
}

const needs =
  (token: string): Script =>
  (seen, response) => {
    if (seen.headers.authorization === `Bearer ${token}`) json(response, answerTo(seen.body))
    else response.writeHead(401, { 'WWW-Authenticate': ['Bearer scope="a"', 'DPoP'] }).end('go away')
  }

describe.each(carriers)('over %s', (_name, options) => {
  it.each([false, true])('AUTHC-008 sends the token in a header of every request and nowhere else', async (later) => {
    const server = await scriptedHttpServer((seen, response) => {
      if (seen.method === 'GET') response.writeHead(405).end()
      else if (seen.method === 'DELETE') response.writeHead(204).end()
      else if (seen.body.includes('"id"')) json(response, answerTo(seen.body), { 'mcp-session-id': session, 'dpop-nonce': 'n' })
      else response.writeHead(202).end()
    })
    const { answered, ...shown } = credentials({ later })
    const headers = { authorization: 'Basic b2xk' }
    const { link, listener } = await dial(server.url, { ...options, headers, credentials: shown.credentials })
    link.send(initialize())
    await listener.answer(1)
    link.send(notice('notifications/initialized', sessions))
    await link.settled(sessions)
    await link.close()
    expect(server.seen.map(({ method }) => method)).toEqual(['POST', 'POST', 'GET', 'DELETE'])
    for (const seen of server.seen) {
      expect(seen.headers.authorization).toBe('Bearer token-0')
      expect(seen.path + seen.body).not.toContain('token-0')
    }
    expect(shown.asked.map(({ httpMethod }) => httpMethod)).toEqual(['POST', 'POST', 'GET', 'DELETE'])
    expect(shown.asked[0]!.url).toBe(server.url.href)
    expect(answered[0]).toBe('n')
  })

  it('repeats the message after the credentials were renewed', async () => {
    const server = await scriptedHttpServer(needs('token-1'))
    const { challenges, credentials: shown } = credentials({ renew: () => true })
    const { link, listener } = await dial(server.url, { ...options, credentials: shown })
    link.send(request(7, 'tools/call'))
    await listener.answer(7)
    expect(server.seen.map(({ body }) => body)).toEqual(Array(2).fill(request(7, 'tools/call').text))
    expect(challenges).toHaveLength(1)
    expect(challenges[0]).toMatchObject({
      status: 401,
      method: 'tools/call',
      httpMethod: 'POST',
      sent: { Authorization: 'Bearer token-0' },
      server: server.url.href,
      url: server.url.href,
      wwwAuthenticate: 'Bearer scope="a", DPoP',
    })
    expect(challenges[0]!.header('content-length') ?? 'chunked').toBeDefined()
  })

  it.each<[string, Record<string, string>]>([
    ['at once', { Authorization: 'Bearer s3cr\net' }],
    ['later', { Authorization: 'Bearer s3cr\net' }],
    ['at once', { Authorization: 'Bearer s3crét…' }],
    ['later', { 'X Key': 's3cret' }],
  ])('sends nothing with a token that is invalid in a header, and does not reveal it: %s', async (when, headers) => {
    const server = await scriptedHttpServer((seen, response) => json(response, answerTo(seen.body)))
    const shown: Credentials = {
      headers: () => (when === 'later' ? Promise.resolve(headers) : headers),
      refused: async () => false,
    }
    const { link, listener } = await dial(server.url, { ...options, credentials: shown })
    link.send(request(7))
    const why = await listener.loss(7)
    expect(why).toMatchObject({ code: 'unauthorized', sent: false })
    expect(why.message).toContain(Object.keys(headers)[0])
    expect(listener.everything).not.toContain('s3cr')
    expect(server.seen).toEqual([])
  })

  it('does not reveal other invalid header values', async () => {
    const server = await scriptedHttpServer((seen, response) => json(response, answerTo(seen.body)))
    const { link, listener } = await dial(server.url, options)
    link.send({ ...request(7), mirrored: ['mcp-param-key', 's3cr\net'] })
    expect(await listener.loss(7)).toMatchObject({ sent: false })
    expect(listener.everything).not.toContain('s3cr')
    expect(server.seen).toEqual([])
  })

  it('asks for renewed credentials at most five times', async () => {
    const server = await scriptedHttpServer(needs('no such token'))
    const { link, listener } = await dial(server.url, { ...options, ...pick(credentials({ renew: () => true })) })
    link.send(request(7))
    expect(await listener.loss(7)).toMatchObject({ code: 'unauthorized', status: 401, sent: false })
    expect(server.seen).toHaveLength(5)
  })

  it('reports a refusal if the credentials cannot be renewed, or fail', async () => {
    const server = await scriptedHttpServer((_, response) => response.writeHead(403).end())
    const failing: Credentials[] = [
      credentials().credentials,
      { headers: () => ({}), refused: () => Promise.reject(new Error('the token store is gone')) },
    ]
    for (const shown of failing) {
      const { link, listener } = await dial(server.url, { ...options, credentials: shown })
      link.send(request(7))
      expect(await listener.loss(7)).toMatchObject({ code: 'unauthorized', status: 403, sent: false })
    }
    const never: Credentials[] = [
      { headers: () => Promise.reject(new Error('locked')), refused: async () => false },
      {
        headers: () => {
          throw new Error('locked')
        },
        refused: async () => false,
      },
    ]
    for (const shown of never) {
      const { link, listener } = await dial(server.url, { ...options, credentials: shown })
      link.send(request(7))
      const why = await listener.loss(7)
      expect(why).toMatchObject({ code: 'unauthorized', sent: false })
      expect(why.message).toContain('locked')
    }
    expect(server.seen).toHaveLength(2)
  })

  it('asks for no login to end a session', async () => {
    const server = await scriptedHttpServer((seen, response) => {
      if (seen.method === 'DELETE') response.writeHead(401).end()
      else if (seen.method === 'GET') response.writeHead(405).end()
      else json(response, answerTo(seen.body), { 'mcp-session-id': session })
    })
    const { challenges, credentials: shown } = credentials({ renew: () => true })
    const { link, listener } = await dial(server.url, { ...options, credentials: shown })
    link.send(initialize())
    await listener.answer(1)
    await link.settled(sessions)
    await link.close()
    expect(server.seen.map(({ method }) => method)).toEqual(['POST', 'GET', 'DELETE'])
    expect(challenges).toEqual([])
  })

  it('forgets a request that is dropped while the credentials are pending', async () => {
    const server = await scriptedHttpServer(needs('token-1'))
    let decide: (again: boolean) => void = () => {}
    const { challenges, credentials: shown } = credentials({
      renew: () =>
        new Promise((resolve) => {
          decide = resolve
        }),
    })
    const { link, listener } = await dial(server.url, { ...options, credentials: shown })
    link.send(request(7))
    await until(() => challenges.length === 1)
    link.drop(7)
    decide(true)
    link.send(request(8))
    await listener.answer(8)
    expect(server.seen).toHaveLength(2)
  })

  it.each([307, 308])('follows a %i within the origin, with the whole request', async (status) => {
    const server = await scriptedHttpServer((seen, response) => {
      if (seen.path === '/mcp') response.writeHead(status, { location: '/other?x=1' }).end()
      else json(response, answerTo(seen.body))
    })
    const { asked, ...shown } = credentials()
    const { link, listener } = await dial(server.url, { ...options, ...pick(shown) })
    link.send(request(7))
    await listener.answer(7)
    expect(asked.map(({ server: to, url }) => [to, url])).toEqual([
      [server.url.href, server.url.href],
      [server.url.href, new URL('/other?x=1', server.url).href],
    ])
    expect(server.seen.map(({ path }) => path)).toEqual(['/mcp', '/other?x=1'])
    expect(server.seen[1]).toMatchObject({ body: request(7).text, headers: { authorization: 'Bearer token-0' } })
  })

  it.each([301, 302, 303])('does not follow a %i, which would change the request', async (status) => {
    const server = await scriptedHttpServer((_, response) => response.writeHead(status, { location: '/other' }).end())
    const { link, listener } = await dial(server.url, options)
    link.send(request(7))
    expect(await listener.loss(7)).toMatchObject({ code: 'redirected', status, sent: false })
    expect(server.seen).toHaveLength(1)
  })

  it('does not follow redirects endlessly', async () => {
    const server = await scriptedHttpServer((_, response) => response.writeHead(307, { location: '/mcp' }).end())
    const { link, listener } = await dial(server.url, options)
    link.send(request(7))
    expect(await listener.loss(7)).toMatchObject({ code: 'redirected' })
    expect(server.seen).toHaveLength(4)
  })

  it('AUTHC-009 SHTTP-036 does not redirect to another origin, with or without its token and session', async () => {
    const elsewhere = await scriptedHttpServer((seen, response) => json(response, answerTo(seen.body)))
    let redirects = false
    const server = await scriptedHttpServer((seen, response) => {
      if (seen.method !== 'POST') response.writeHead(405).end()
      else if (redirects) response.writeHead(307, { location: elsewhere.url.href }).end()
      else json(response, answerTo(seen.body), { 'mcp-session-id': session })
    })
    const { link, listener } = await dial(server.url, { ...options, ...pick(credentials()) })
    link.send(initialize())
    await listener.answer(1)
    redirects = true
    link.send(request(7, 'tools/list', sessions))
    const why = await listener.loss(7)
    expect(why).toMatchObject({ code: 'redirected', sent: false })
    expect(why.message).toContain('another origin')
    expect(elsewhere.seen).toEqual([])
    expect(server.seen.filter(({ method }) => method === 'POST')).toHaveLength(2)
    expect(listener.everything).not.toMatch(/token-0|a-secret-session/)
  })
})

const pick = ({ credentials: shown }: { credentials: Credentials }) => ({ credentials: shown })
