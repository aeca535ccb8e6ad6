// Callers are not managers. The routes of the management API come from its own description, so new ones are tested as well, by strangers
// who pretend to be local, with every kind of insufficient credential.
import { randomBytes } from 'node:crypto'
import { existsSync } from 'node:fs'
import { request } from 'node:http'
import { networkInterfaces } from 'node:os'
import { join } from 'node:path'
import { createApiKey } from 'toolwire/auth'
import { describe, expect, it, onTestFinished } from 'vitest'
import { issuer } from '../../../toolwire/test/auth/issuer.js'
import { freePort } from '../../../toolwire/test/free-port.js'
import { howMany } from '../../../toolwire/test/soak.js'
import { enter, withConsole } from '../console/console-visitor.js'
import {
  ask,
  child,
  client,
  credentialsFor,
  folder,
  pending,
  program,
  started,
  until,
  upstreamConfig,
  words,
} from '../support/running-gateway.js'

const notes = () => upstreamConfig('notes', child(program('notes-server.mjs')), { trusted: true })
const bearer = (key: unknown) => ({ authorization: `Bearer ${key}` })
const admin = ['toolwire:admin']

type Headers = Record<string, string>
type Gateway = Awaited<ReturnType<typeof started>>
type Route = { readonly method: string; readonly path: string }
type Answered = { readonly status: number; readonly text: string }

function send(gateway: Gateway, { method, path }: Route, headers: Headers, body = '{}'): Promise<Answered> {
  const all = { ...(method !== 'GET' && method !== 'DELETE' && { 'content-type': 'application/json' }), ...headers }
  return new Promise((resolve, reject) => {
    // A connection of its own, because a kept one may be closed just when it is used again.
    const sent = request(
      { agent: false, host: gateway.config.host, port: gateway.port, path, method, headers: all },
      async (response) => {
        let text = ''
        for await (const chunk of response) text += chunk
        resolve({ status: response.statusCode ?? 0, text })
      },
    )
    sent.on('error', reject).end(method === 'GET' || method === 'DELETE' ? undefined : body)
  })
}

/** A pseudo-random generator with a fixed seed. */
function seededRandom(seed: number): (sides: number) => number {
  let state = seed
  return (sides) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return Math.floor((state / 2 ** 32) * sides)
  }
}

const forwarded = [
  'forwarded',
  'x-forwarded-for',
  'x-forwarded-host',
  'x-forwarded-proto',
  'x-real-ip',
  'via',
  'cf-connecting-ip',
]
const forwardedValues = [
  '127.0.0.1',
  '::1',
  'for=127.0.0.1;host=localhost',
  'localhost',
  '203.0.113.9',
  '127.0.0.1, 203.0.113.9',
  '',
]

/** Headers with which a stranger could pretend to be local or authenticated. */
function localLookingHeaders(port: number, roll: (sides: number) => number): Headers {
  const one = <T>(of: readonly T[]): T => of[roll(of.length)] as T // the index is within the list
  const hosts = [`127.0.0.1:${port}`, `localhost:${port}`, `LOCALHOST:${port}`, `[::1]:${port}`, `127.0.0.2:${port}`, 'localhost']
  const headers: Headers = { host: one([...hosts, 'gateway.example', `0.0.0.0:${port}`]) }
  for (let times = roll(3); times > 0; times--) headers[one(forwarded)] = one(forwardedValues)
  const origins = [`http://localhost:${port}`, `http://127.0.0.1:${port}`, 'null', 'https://evil.example']
  if (roll(3) === 0) headers.origin = one(origins)
  if (roll(3) === 0) headers['sec-fetch-site'] = one(['none', 'same-origin', 'cross-site'])
  if (roll(4) === 0) headers.cookie = '__Host-toolwire-4181=guessed'
  return headers
}

const hasIpv6 = Object.values(networkInterfaces()).some((all) => all?.some(({ address }) => address === '::1'))
const roundsEach = howMany(3, 16)
/** Callers may use these routes: they log in to servers for themselves. */
const forCallers = /\/logins(\/|$)/

describe.each(hasIpv6 ? ['127.0.0.1', '::1'] : ['127.0.0.1'])('a stranger at %s', (host) => {
  it('can use no route, however local it looks and whatever insufficient credentials it presents', async () => {
    const gateway = await started({ upstreams: [notes()], host, allowedHosts: ['gateway.example'] })
    const own = credentialsFor(gateway)
    const asOperator = (path: string, method = 'GET', body?: string) =>
      send(gateway, { method, path: `/api/v1${path}` }, { ...own, host: `localhost:${gateway.port}` }, body)
    const newKey = async (body: object) =>
      JSON.parse((await asOperator('/keys', 'POST', JSON.stringify(body))).text) as { id: string; key: string }
    const calling = await newKey({ caller: 'caller' })
    const revoked = await newKey({ caller: 'gone', scopes: admin })
    await asOperator(`/keys/${revoked.id}`, 'DELETE')
    const expired = await createApiKey({ caller: 'late', scopes: admin, expiresAt: Date.now() - 1 })
    await gateway.control.store.keys.add(expired.record)
    const credentials: { readonly [name: string]: readonly Headers[] } = {
      none: [{}],
      wrong: [
        bearer('nonsense'),
        { 'x-api-key': 'nonsense' },
        bearer(`twm_${'x'.repeat(43)}`),
        { authorization: 'Basic bG9jYWw6' },
      ],
      calling: [bearer(calling.key), { 'x-api-key': calling.key }],
      revoked: [bearer(revoked.key), { 'x-api-key': revoked.key }],
      expired: [bearer(expired.key), { 'x-api-key': expired.key }],
    }
    // A local program may call without credentials, and its call waits for approval.
    const one = await client(gateway.url)
    const call = one.call('notes__write', { text: 'hi' }, { onProgress: () => undefined })
    await until(async () => (await gateway.control.store.approvals.pending()).length === 1)
    const [waiting] = await gateway.control.store.approvals.pending()
    // Only records of refused requests may be added.
    const doneSoFar = async () => {
      const { calls } = JSON.parse((await asOperator('/audit?limit=1000')).text) as { calls: { id: string; tool: string }[] }
      return calls.flatMap(({ id, tool }) => (tool === 'toolwire/refuse-request' ? [] : [`${id} ${tool}`]))
    }
    const before = { keys: (await asOperator('/keys')).text, done: await doneSoFar() }

    const { paths } = JSON.parse((await asOperator('/openapi.json')).text) as { paths: Record<string, object> }
    const written = Object.entries(paths).flatMap(([path, methods]) => Object.keys(methods).map((method) => ({ path, method })))
    expect(written.length).toBeGreaterThan(40)
    const named: Headers = { id: waiting?.id ?? '', name: 'notes__read', login: 'x', call: '1', question: 'x', sequence: '1' }
    const routes = [
      ...written.map(({ path, method }) => ({
        method: method.toUpperCase(),
        path: `/api/v1${path.replaceAll(/\{(\w+)\}/g, (_, name: string) => named[name] ?? 'x')}`,
      })),
      { method: 'GET', path: '/metrics' },
    ]
    const bodies = ['{}', '{"decision":"allow"}', '{"caller":"new","scopes":["*"]}', '{"arguments":{}}', '{"state":"off"}']
    const roll = seededRandom(0x5eed + host.length)
    for (const route of routes) {
      for (const [kind, credential] of Object.entries(credentials)) {
        for (let round = 0; round < roundsEach; round++) {
          const headers = { ...localLookingHeaders(gateway.port, roll), ...credential[roll(credential.length)] }
          const { status, text } = await send(gateway, route, headers, bodies[roll(bodies.length)])
          const tried = `${kind}: ${route.method} ${route.path} ${JSON.stringify(headers)}`
          if (kind === 'calling' && forCallers.test(route.path) && status === 200)
            expect([tried, text]).toEqual([tried, '{"logins":[]}'])
          else
            expect([tried, status, text]).toEqual([
              tried,
              expect.toBeOneOf([400, 401, 403, 404, 415]),
              expect.stringContaining('"error"'),
            ])
          if (kind !== 'calling') expect([tried, status]).toEqual([tried, expect.toBeOneOf([401, 403])])
        }
      }
    }
    const health = await send(gateway, { method: 'GET', path: '/health' }, { host: `localhost:${gateway.port}` })
    expect(Object.keys(JSON.parse(health.text))).toEqual(['status'])
    expect({
      keys: (await asOperator('/keys')).text,
      done: await doneSoFar(),
    }).toEqual(before)
    expect((await gateway.control.store.approvals.pending()).map(({ id }) => id)).toEqual([waiting?.id])
    await asOperator(`/approvals/${waiting?.id}`, 'POST', '{"decision":"allow"}')
    expect(words(await call)).toBe('written: hi')
  })
})

describe('a caller without management rights', () => {
  it('receives an explanation', async () => {
    const gateway = await started()
    const { status, body } = await ask(gateway, '/keys', { bare: true })
    expect([status, body.error]).toEqual([401, expect.stringMatching(/TOOLWIRE_DATA_DIR.*management\.token.*toolwire:admin/)])
  })

  it('gets no key under a name of the gateway, and an existing key with such a name is refused', async () => {
    const gateway = await started()
    for (const caller of ['local', 'webhook', 'toolwire', 'anonymous', 'console:abcdef']) {
      const { status, body } = await ask(gateway, '/keys', { body: { caller, scopes: admin } })
      expect([caller, status, body.error]).toEqual([caller, 400, expect.stringContaining(caller)])
      const old = await createApiKey({ caller, scopes: admin })
      await gateway.control.store.keys.add(old.record)
      expect([caller, (await ask(gateway, '/keys', { headers: bearer(old.key) })).status]).toEqual([caller, 401])
    }
  })
})

describe('an expiring key', () => {
  it('creates no key that outlives it, and neither does a console session that it opened', async () => {
    const gateway = await withConsole()
    const expiresAt = Date.now() + 3_600_000
    const { key } = (await ask(gateway, '/keys', { body: { caller: 'ada', scopes: admin, expiresAt } })).body
    const { url } = (await ask(gateway, '/console/links', { body: {}, headers: bearer(key) })).body
    const { id: _, ...session } = await enter({ ...gateway, send: gateway.send, loginLink: () => String(url) })
    const makers: readonly ((body: object) => Promise<number>)[] = [
      async (body) => (await ask(gateway, '/keys', { body, headers: bearer(key) })).status,
      async (body) => (await gateway.send('/api/v1/keys', { body, headers: { ...session } })).status,
    ]
    for (const make of makers) {
      const ends = [{}, { expiresAt: expiresAt + 1 }, { expiresAt }, { expiresAt: expiresAt - 1 }]
      const statuses = []
      for (const end of ends) statuses.push(await make({ caller: 'child', scopes: admin, ...end }))
      expect(statuses).toEqual([403, 403, 201, 201])
    }
    expect((await ask(gateway, '/keys', { body: { caller: 'child' } })).status).toBe(201)
  })

  it('of each kind creates no management key that outlives it: keys, tokens, and consoles opened by them or the operator', async () => {
    const authority = await issuer()
    const resource = 'https://gateway.example/mcp'
    const oauth = { issuer: authority.url, url: resource, jwks: authority.jwks }
    const gateway = await withConsole({ config: { callers: { loopback: true, apiKeys: true, oauth } } })
    type Make = (body: object) => Promise<{ status: number; body: { error?: unknown } }>
    const shownBy =
      (headers: Headers): Make =>
      (body) =>
        ask(gateway, '/keys', { body, headers })
    const consoleOf = async (headers?: Headers): Promise<Make> => {
      const { url } = (await ask(gateway, '/console/links', { body: {}, ...(headers && { headers }) })).body
      const { id: _, ...session } = await enter({ ...gateway, send: gateway.send, loginLink: () => String(url) })
      return async (body) => {
        const { status, text } = await gateway.send('/api/v1/keys', { body, headers: { ...session } })
        return { status, body: JSON.parse(text) }
      }
    }
    const ending = { caller: 'ada', scopes: admin, expiresAt: Date.now() + 3_600_000 }
    const key = bearer((await ask(gateway, '/keys', { body: ending })).body.key)
    const token = bearer(await authority.token(resource, { scope: 'toolwire:admin' }))
    const kinds = { key: shownBy(key), token: shownBy(token), 'console of a key': await consoleOf(key) }
    const consoles = { 'console of a token': await consoleOf(token), 'console of the operator': await consoleOf() }
    for (const [kind, make] of Object.entries({ ...kinds, ...consoles })) {
      for (const scopes of [admin, ['*'], ['toolwire:metrics', 'notes']]) {
        const refused = await make({ caller: 'child', scopes })
        expect([kind, refused.status]).toEqual([kind, 403])
        const end = Date.parse(/ends at (\S+),/.exec(String(refused.body.error))?.[1] ?? '')
        expect(end).toBeLessThanOrEqual(Date.now() + 12 * 3_600_000)
        const statuses = []
        for (const expiresAt of [end + 60_000, end - 1_000])
          statuses.push((await make({ caller: 'child', scopes, expiresAt })).status)
        expect([kind, statuses]).toEqual([kind, [403, 201]])
      }
    }
    const { keys } = (await ask(gateway, '/keys')).body as { keys: { caller: string; expiresAt?: number }[] }
    const children = keys.filter(({ caller }) => caller === 'child')
    expect(children).toHaveLength(15)
    expect(children.every(({ expiresAt = Infinity }) => expiresAt < Date.now() + 12 * 3_600_000)).toBe(true)
    expect((await ask(gateway, '/keys', { body: { caller: 'lasting', scopes: admin } })).status).toBe(201)
  })

  it('differs from an access token, which may create lasting keys for calls alone', async () => {
    const authority = await issuer()
    const resource = 'https://gateway.example/mcp'
    const oauth = { issuer: authority.url, url: resource, jwks: authority.jwks }
    const gateway = await withConsole({ config: { callers: { loopback: true, apiKeys: true, oauth } } })
    const headers = bearer(await authority.token(resource, { scope: 'toolwire:admin' }))
    expect((await ask(gateway, '/keys', { body: { caller: 'child' }, headers })).status).toBe(201)
    const { url } = (await ask(gateway, '/console/links', { body: {}, headers })).body
    const { id: _, ...session } = await enter({ ...gateway, send: gateway.send, loginLink: () => String(url) })
    expect((await gateway.send('/api/v1/keys', { body: { caller: 'child' }, headers: { ...session } })).status).toBe(201)
  })
})

describe('a call', () => {
  const allow = { decision: 'allow' }
  const always = { decision: 'allow', always: { forMs: 60_000 } }

  it('is never allowed by its own caller: with a key, a console session of that key, the token, or a webhook', async () => {
    const gateway = await withConsole({ config: { upstreams: [notes()] } })
    const keyOf = async (caller: string) => bearer((await ask(gateway, '/keys', { body: { caller, scopes: admin } })).body.key)
    const [ada, again, bob] = [await keyOf('ada'), await keyOf('ada'), await keyOf('bob')]
    const { body: link } = await ask(gateway, '/console/links', { body: {}, headers: ada })
    const opened = await enter({ ...gateway, send: gateway.send, loginLink: () => String(link.url) })
    const session = { cookie: opened.cookie, 'x-toolwire-session': opened['x-toolwire-session'] }

    const one = await client(gateway.url, { headers: ada })
    const call = one.call('notes__write', { text: 'hi' }, { onProgress: () => undefined })
    const { id } = await pending(gateway)
    for (const body of [allow, always]) {
      for (const headers of [ada, again])
        expect(await ask(gateway, `/approvals/${id}`, { body, headers })).toMatchObject({
          status: 403,
          body: { error: expect.stringMatching(/made by ada.*callers may not approve their own calls/) },
        })
      expect((await gateway.send(`/api/v1/approvals/${id}`, { body, headers: session })).status).toBe(403)
      expect(await gateway.control.decisions.decide(id, 'allow', { by: 'webhook', behind: 'ada' })).toEqual({
        done: false,
        state: 'own',
      })
    }
    expect((await ask(gateway, '/grants')).body.grants).toEqual([])
    expect((await pending(gateway)).id).toBe(id)
    const refusals = async () => {
      const { calls } = (await ask(gateway, '/audit?tool=toolwire/approval')).body as {
        calls: { sequence: number; caller: string; decision: string; outcome: string }[]
      }
      return calls.reverse()
    }
    await until(async () => (await refusals()).length === 8)
    const records = await refusals()
    const console = expect.stringMatching(/^console:/)
    expect(records.map(({ caller }) => caller)).toEqual(['ada', 'ada', console, 'webhook', 'ada', 'ada', console, 'webhook'])
    for (const { sequence, caller, decision, outcome } of records) {
      expect([decision, outcome]).toEqual(['refused', 'refused'])
      const { record } = (await ask(gateway, `/audit/${sequence}`)).body
      const about = { id, decision: 'allow', tool: 'notes__write', caller: 'ada', ...(caller !== 'ada' && { behind: 'ada' }) }
      expect(record).toMatchObject({ arguments: about })
    }
    expect((await ask(gateway, `/approvals/${id}`, { body: allow, headers: bob })).status).toBe(200)
    expect(words(await call)).toBe('written: hi')

    const tried = ask(gateway, '/tools/notes__write/call', { body: { arguments: { text: 'ho' } } })
    const own = (await pending(gateway)).id
    expect((await ask(gateway, `/approvals/${own}`, { body: allow })).status).toBe(403)
    // The caller itself may withdraw the call.
    expect((await ask(gateway, `/approvals/${own}`, { body: { decision: 'deny' } })).status).toBe(200)
    expect((await tried).body.isError).toBe(true)
  })
})

describe('one person with several keys and console sessions', () => {
  type Way = { readonly call: () => Promise<{ readonly isError: boolean }>; readonly allow: (id: string) => Promise<number> }

  /** Two keys and two console sessions of a person. Each can make a call, and each can try to allow one. */
  async function credentialsOf(gateway: Awaited<ReturnType<typeof withConsole>>, caller: string) {
    const callPath = '/tools/notes__write/call'
    const given = { arguments: { text: `of ${caller}` } }
    const allow = { decision: 'allow' }
    const ways: [string, Way][] = []
    for (const number of [1, 2]) {
      const { key } = (await ask(gateway, '/keys', { body: { caller, scopes: ['*'] } })).body
      const headers = bearer(key)
      const { url } = (await ask(gateway, '/console/links', { body: {}, headers })).body
      const { id: _, ...session } = await enter({ ...gateway, send: gateway.send, loginLink: () => String(url) })
      ways.push([
        `key ${number}`,
        {
          call: async () => (await ask(gateway, callPath, { body: given, headers })).body as { isError: boolean },
          allow: async (id) => (await ask(gateway, `/approvals/${id}`, { body: allow, headers })).status,
        },
      ])
      const send = (path: string, body: object) => gateway.send(`/api/v1${path}`, { body, headers: { ...session } })
      ways.push([
        `console session ${number}`,
        {
          call: async () => JSON.parse((await send(callPath, given)).text) as { isError: boolean },
          allow: async (id) => (await send(`/approvals/${id}`, allow)).status,
        },
      ])
    }
    return ways
  }

  it('allows no call of its own: no key and no session allows a call that another of them has made', async () => {
    const gateway = await withConsole({ config: { upstreams: [notes()] } })
    const [ada, bob] = [await credentialsOf(gateway, 'ada'), await credentialsOf(gateway, 'bob')]
    for (const [at, [calling, { call }]] of ada.entries()) {
      const over = call()
      const { id } = await pending(gateway)
      for (const [deciding, { allow }] of ada) expect([calling, deciding, await allow(id)]).toEqual([calling, deciding, 403])
      expect([calling, await bob[at]?.[1].allow(id)]).toEqual([calling, 200])
      expect([calling, (await over).isError]).toEqual([calling, false])
    }
  })
})

describe('a session of the console', () => {
  const opened = async (gateway: Awaited<ReturnType<typeof withConsole>>, headers: Headers) => {
    const { url } = (await ask(gateway, '/console/links', { body: {}, headers })).body
    const { id, ...credentials } = await enter({ ...gateway, send: gateway.send, loginLink: () => String(url) })
    return { id, headers: { ...credentials } }
  }

  it('ends with the key that opened it, even if its holder has another one', async () => {
    const gateway = await withConsole()
    const newKey = async () =>
      (await ask(gateway, '/keys', { body: { caller: 'ada', scopes: admin } })).body as { id: string; key: string }
    const [old, now] = [await newKey(), await newKey()]
    const [first, second] = [await opened(gateway, bearer(old.key)), await opened(gateway, bearer(now.key))]
    await ask(gateway, `/keys/${old.id}`, { method: 'DELETE' })
    const status = async ({ headers }: typeof first) => (await gateway.send('/api/v1/status', { headers })).status
    expect([await status(first), await status(second)]).toEqual([401, 200])
  })

  it("ends with the operator's key, but not with the token, when a gateway starts with another key", async () => {
    const dataDir = join(folder(), 'data')
    const keys = Array.from({ length: 2 }, () => randomBytes(32).toString('hex'))
    const start = async (apiKey: string | undefined) => {
      const config = { dataDir, console: { host: '127.0.0.1', port: consolePort }, ...(apiKey !== undefined && { apiKey }) }
      return withConsole({ config })
    }
    const consolePort = await freePort()
    const gateway = await start(keys[0])
    const byKey = await opened(gateway, bearer(keys[0]))
    const byToken = await opened(gateway, credentialsFor(gateway))
    await gateway.close({ drainMs: 0, delayMs: 0 })
    for (const [apiKey, statuses] of [
      [keys[0], [200, 200]],
      [keys[1], [401, 200]],
    ] as const) {
      const next = await start(apiKey)
      const all = [byKey, byToken].map(async ({ headers }) => (await next.send('/api/v1/status', { headers })).status)
      expect(await Promise.all(all)).toEqual(statuses)
      await next.close({ drainMs: 0, delayMs: 0 })
    }
  })

  it('ends its unfinished requests, and logs out with an answer', async () => {
    const gateway = await withConsole({ config: { upstreams: [notes()] } })
    const { id, headers } = await opened(gateway, credentialsFor(gateway))
    const called = gateway.send('/api/v1/tools/notes__write/call', { headers, body: { arguments: { text: 'hi' } } })
    await pending(gateway)
    // This request is authenticated, but sends its body after its session has ended.
    const late = unfinished(gateway.home, '/api/v1/keys', headers)
    await until(() => gateway.control.store.sessions.entries().length === 1)
    await late.isTaken
    expect((await ask(gateway, `/console/sessions/${id}`, { method: 'DELETE' })).status).toBe(200)
    expect((await called).status).toBe(401)
    await until(async () => (await gateway.control.store.approvals.pending()).length === 0)
    expect(await late.finish('{"caller":"late","scopes":["*"]}')).not.toBe(201)
    expect(gateway.control.store.keys.list()).toEqual([])
    // The requests were allowed when they began, so only a later request is reported.
    expect((await gateway.send('/api/v1/status', { headers })).status).toBe(401)
    const refusals = async () => {
      const { audit } = gateway.control.store
      const { calls } = await audit.search({ tool: 'toolwire/refuse-request' })
      return Promise.all(calls.map(async ({ sequence }) => (await audit.record(sequence))?.record))
    }
    await until(async () => (await refusals()).length > 0)
    expect(await refusals()).toMatchObject([{ arguments: { path: '/api/v1/status' } }])

    const other = await opened(gateway, credentialsFor(gateway))
    const path = `/api/v1/console/sessions/${other.id}`
    expect((await gateway.send(path, { method: 'DELETE', headers: other.headers })).status).toBe(200)
  })

  /** A request whose body has not been sent yet. */
  function unfinished(home: string, path: string, headers: Headers) {
    const body = '{"caller":"late","scopes":["*"]}'
    const { hostname, port } = new URL(home)
    const all = {
      ...headers,
      'content-type': 'application/json',
      'content-length': Buffer.byteLength(body),
      expect: '100-continue',
    }
    const sent = request({ agent: false, hostname, port, path, method: 'POST', headers: all })
    const answered = new Promise<number>((resolve) => {
      sent.on('response', (response) => {
        response.resume()
        resolve(response.statusCode ?? 0)
      })
      sent.on('error', () => resolve(0))
    })
    const isTaken = new Promise((resolve) => sent.once('continue', resolve))
    sent.flushHeaders()
    return {
      isTaken,
      finish(rest: string) {
        sent.end(rest)
        return answered
      },
    }
  }
})

describe('a pending call', () => {
  it.each([
    '2025-06-18',
    '2026-07-28',
  ])('is not made for a key that was revoked meanwhile, by a caller of %s', async (revision) => {
    const file = join(folder(), 'notes')
    const target = { ...child(program('notes-server.mjs')), env: { NOTES_FILE: file } } as ReturnType<typeof child>
    const gateway = await started({ upstreams: [upstreamConfig('notes', target, { trusted: true })] })
    const { id: key, key: secret } = (await ask(gateway, '/keys', { body: { caller: 'ada' } })).body
    const one = await client(gateway.url, { revision, headers: bearer(secret) })
    const call = one.call('notes__write', { text: 'hi' }, { onProgress: () => undefined }).catch((thrown: Error) => thrown)
    const { id } = await pending(gateway)
    await ask(gateway, `/keys/${key}`, { method: 'DELETE' })
    const { status } = await ask(gateway, `/approvals/${id}`, { body: { decision: 'allow' } })
    expect(status).toBeOneOf([200, 409])
    await call
    await until(() => gateway.control.underWay() === 0)
    expect(existsSync(file)).toBe(false)
  })
})

describe('an open stream', () => {
  const initialize = {
    jsonrpc: '2.0',
    id: 1,
    method: 'initialize',
    params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'test', version: '1' } },
  }
  const meta = {
    'io.modelcontextprotocol/protocolVersion': '2026-07-28',
    'io.modelcontextprotocol/clientInfo': { name: 'test', version: '1' },
    'io.modelcontextprotocol/clientCapabilities': {},
  }
  const accept = 'application/json, text/event-stream'
  const post = (headers: Headers, body: object) => ({
    method: 'POST',
    headers: { ...headers, accept, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  })

  /** Each stream that a credential can open, and the sign that it is open. */
  const streams: { readonly [name: string]: (gateway: Gateway, headers: Headers, signal: AbortSignal) => Promise<Response> } = {
    'events of the management API': ({ port }, headers, signal) =>
      fetch(`http://127.0.0.1:${port}/api/v1/events`, { headers, signal }),
    'the audit log': ({ port }, headers, signal) => fetch(`http://127.0.0.1:${port}/api/v1/audit/follow`, { headers, signal }),
    'a session of MCP': async ({ url }, headers, signal) => {
      const begun = await fetch(url, post(headers, initialize))
      await begun.text()
      const session = { 'mcp-session-id': begun.headers.get('mcp-session-id') ?? '', 'mcp-protocol-version': '2025-11-25' }
      return fetch(url, { headers: { ...headers, ...session, accept: 'text/event-stream' }, signal })
    },
    'HTTP+SSE': ({ port }, headers, signal) =>
      fetch(`http://127.0.0.1:${port}/sse`, { headers: { ...headers, accept: 'text/event-stream' }, signal }),
    'a subscription': ({ url }, headers, signal) => {
      const method = 'subscriptions/listen'
      const own = { ...headers, 'mcp-protocol-version': '2026-07-28', 'mcp-method': method }
      const params = { notifications: { toolsListChanged: true }, _meta: meta }
      return fetch(url, { ...post(own, { jsonrpc: '2.0', id: 2, method, params }), signal })
    },
  }

  /** Resolves when the server has ended the stream. */
  async function ended(response: Response): Promise<void> {
    const reader = response.body?.getReader()
    try {
      while (reader && !(await reader.read()).done);
    } catch {
      // An aborted stream counts as ended.
    }
  }

  async function opened(gateway: Gateway, headers: Headers): Promise<readonly Promise<string>[]> {
    const over = new AbortController()
    onTestFinished(() => over.abort())
    const all: Promise<string>[] = []
    for (const [name, open] of Object.entries(streams)) {
      const response = await open(gateway, headers, over.signal)
      expect([name, response.status, response.headers.get('content-type')]).toEqual([
        name,
        200,
        expect.stringMatching(/event-stream|ndjson/),
      ])
      all.push(ended(response).then(() => name))
    }
    return all
  }

  it.each(['bearer', 'x-api-key'])('ends when the key that was sent as %s is revoked, and no other does', async (way) => {
    const gateway = await started({ upstreams: [notes()] })
    const newKey = async (caller: string) =>
      (await ask(gateway, '/keys', { body: { caller, scopes: ['*'] } })).body as { id: string; key: string }
    const headersFor = (key: string): Headers => (way === 'bearer' ? bearer(key) : { 'x-api-key': key })
    const [ada, bob] = [await newKey('ada'), await newKey('bob')]
    const [ofAda, ofBob] = [await opened(gateway, headersFor(ada.key)), await opened(gateway, headersFor(bob.key))]
    let othersEnded = 0
    for (const stream of ofBob) void stream.then(() => othersEnded++)
    await ask(gateway, `/keys/${ada.id}`, { method: 'DELETE' })
    expect(await Promise.all(ofAda)).toEqual(Object.keys(streams))
    expect(othersEnded).toBe(0)
    await ask(gateway, `/keys/${bob.id}`, { method: 'DELETE' })
    await Promise.all(ofBob)
  })

  it('ends when the key expires', async () => {
    const gateway = await started({ upstreams: [notes()] })
    const { key, record } = await createApiKey({ caller: 'ada', scopes: ['*'], expiresAt: Date.now() + 10_000 })
    await gateway.control.store.keys.add(record)
    expect(await Promise.all(await opened(gateway, bearer(key)))).toEqual(Object.keys(streams))
  })

  it('ends in a console of a key when the key is revoked, and in one of the operator at logout', async () => {
    const gateway = await withConsole()
    const { id, key } = (await ask(gateway, '/keys', { body: { caller: 'ada', scopes: admin } })).body as {
      id: string
      key: string
    }
    const { url } = (await ask(gateway, '/console/links', { body: {}, headers: bearer(key) })).body
    const events = (session: Awaited<ReturnType<typeof enter>>) => {
      const headers = { cookie: session.cookie, 'x-toolwire-session': session['x-toolwire-session'] }
      return fetch(`${gateway.home}/api/v1/events`, { headers })
    }
    const ofAda = await enter({ ...gateway, send: gateway.send, loginLink: () => String(url) })
    const own = await enter(gateway)
    const [first, second] = [await events(ofAda), await events(own)]
    expect([first.status, second.status]).toEqual([200, 200])
    let isOver = false
    const last = ended(second).then(() => {
      isOver = true
    })
    await ask(gateway, `/keys/${id}`, { method: 'DELETE' })
    await ended(first)
    expect([(await events(ofAda)).status, isOver]).toEqual([401, false])
    await ask(gateway, `/console/sessions/${own.id}`, { method: 'DELETE' })
    await last
    expect((await events(own)).status).toBe(401)
  })
})
