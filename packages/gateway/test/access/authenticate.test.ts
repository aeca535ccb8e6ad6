// Authentication of callers, and the permissions of managers.
import { createHmac } from 'node:crypto'
import { createServer, request } from 'node:http'
import type { AddressInfo } from 'node:net'
import { createApiKey } from 'toolwire/auth'
import { describe, expect, it, onTestFinished } from 'vitest'
import { issuer } from '../../../toolwire/test/auth/issuer.js'
import { listening } from '../support/event-stream.js'
import {
  ask,
  child,
  client,
  credentialsFor,
  doneBy,
  http,
  pending,
  program,
  started,
  upstreamConfig,
  words,
} from '../support/running-gateway.js'

const notes = (...args: string[]) => upstreamConfig('notes', child(program('notes-server.mjs'), ...args), { trusted: true })
const keyed = { callers: { loopback: false, apiKeys: true }, apiKey: 'the-operators-own-key-Zr4mQ8vK2sXw6TnB9cLd' }
const operator = { authorization: 'Bearer the-operators-own-key-Zr4mQ8vK2sXw6TnB9cLd' }

type Key = { readonly id: string; readonly key: string; readonly caller: string }
const bearer = ({ key }: Key) => ({ authorization: `Bearer ${key}` })

async function newKey(gateway: { port: number }, caller: string, scopes: readonly string[] = []): Promise<Key> {
  const { status, body } = await ask(gateway, '/keys', { body: { caller, scopes }, headers: operator })
  expect(status).toBe(201)
  return body as unknown as Key
}

/** A request with headers that fetch would not send. */
function raw(port: number, path: string, headers: Record<string, string>, method = 'GET'): Promise<number> {
  return new Promise((resolve, reject) => {
    const sent = request({ host: '127.0.0.1', port, path, method, headers }, (response) => {
      response.resume()
      resolve(response.statusCode ?? 0)
    })
    sent.on('error', reject).end(method === 'POST' ? '{}' : undefined)
  })
}

describe('callers', () => {
  it('HTTP-030 present a key in either header from an allowed web page', async () => {
    const { url } = await started({ upstreams: [], ...keyed, allowedOrigins: ['https://app.example'] })
    const headers = { origin: 'https://app.example', 'access-control-request-headers': 'x-api-key' }
    const preflight = await fetch(url, { method: 'OPTIONS', headers })
    const allowed = preflight.headers.get('access-control-allow-headers')?.toLowerCase().split(', ')
    expect(allowed).toEqual(expect.arrayContaining(['authorization', 'x-api-key']))
  })

  it('present keys, which are recorded under their names, and are refused after a revocation', async () => {
    const gateway = await started({ upstreams: [notes()], ...keyed })
    await expect(client(gateway.url)).rejects.toThrow()
    const key = await newKey(gateway, 'nightly')
    const one = await client(gateway.url, { headers: bearer(key) })
    expect(words(await one.call('notes__read'))).toBe('nothing')
    const { calls } = (await ask(gateway, '/audit?tool=notes__read', { headers: operator })).body as {
      calls: { caller: string }[]
    }
    expect(calls.map(({ caller }) => caller)).toEqual(['nightly'])
    expect((await ask(gateway, '/keys', { headers: operator })).body).toEqual({
      keys: [{ id: key.id, caller: 'nightly', scopes: [] }],
    })
    await ask(gateway, `/keys/${key.id}`, { method: 'DELETE', headers: operator })
    await expect(one.call('notes__read')).rejects.toThrow()
  })

  it('may be limited to some sets', async () => {
    const gateway = await started({ upstreams: [notes()], sets: { readers: ['notes__read'], writers: ['notes__w*'] }, ...keyed })
    const headers = bearer(await newKey(gateway, 'reader', ['toolwire:set:readers']))
    const one = await client(`${gateway.url}/readers`, { headers })
    expect((await one.listTools()).map(({ name }) => name)).toEqual(['notes__read'])
    await expect(one.call('notes__write', { text: 'x' })).rejects.toThrow()
    await expect(client(`${gateway.url}/writers`, { headers })).rejects.toThrow()
    await expect(client(gateway.url, { headers })).rejects.toThrow()
  })

  it.each([
    'toolwire:sets:readers',
    'toolwire:set-readers',
    'toolwire:amdin',
    'toolwire:set:',
    'toolwire:',
  ])('get no key with the scope %s, which the gateway does not know, and an existing key with it can use no set', async (scope) => {
    const gateway = await started({ upstreams: [notes()], sets: { readers: ['notes__read'] }, ...keyed })
    const { status, body } = await ask(gateway, '/keys', { body: { caller: 'reader', scopes: [scope] }, headers: operator })
    expect([status, body.error]).toEqual([400, expect.stringContaining('toolwire:set:NAME')])
    const { key, record } = await createApiKey({ caller: 'reader', scopes: [scope, 'tools'] })
    await gateway.control.store.keys.add(record)
    for (const url of [gateway.url, `${gateway.url}/readers`])
      await expect(client(url, { headers: { authorization: `Bearer ${key}` } })).rejects.toThrow()
  })

  it('present tokens for one set, also for a set that was added while the gateway runs', async () => {
    const authority = await issuer()
    const resource = 'https://gateway.example/mcp'
    const oauth = { issuer: authority.url, url: resource, jwks: authority.jwks }
    const gateway = await started({
      upstreams: [notes()],
      sets: { readers: ['notes__read'] },
      callers: { loopback: false, apiKeys: false, oauth },
    })
    const headersFor = async (set: string) => ({ authorization: `Bearer ${await authority.token(`${resource}/${set}`)}` })
    const listedIn = async (set: string) => {
      const one = await client(`${gateway.url}/${set}`, { headers: await headersFor(set) })
      return (await one.listTools()).map(({ name }) => name)
    }
    expect(await listedIn('readers')).toEqual(['notes__read'])
    await gateway.change({ ...gateway.config, sets: { writers: ['notes__write'] } })
    expect(await listedIn('writers')).toEqual(['notes__write'])
    await expect(client(`${gateway.url}/writers`, { headers: await headersFor('readers') })).rejects.toThrow()
  })

  it('present tokens while the issuer is unreachable, also after the sets have changed', async () => {
    const authority = await issuer()
    const resource = 'https://gateway.example/mcp'
    const oauth = { issuer: authority.url, url: resource, jwks: authority.jwks }
    const gateway = await started({ upstreams: [notes()], callers: { loopback: false, apiKeys: false, oauth } })
    const headersFor = async (audience: string) => ({ authorization: `Bearer ${await authority.token(audience)}` })
    const [headers, ofSet] = [await headersFor(resource), await headersFor(`${resource}/readers`)]
    await client(gateway.url, { headers })
    await authority[Symbol.asyncDispose]()
    await gateway.change({ ...gateway.config, sets: { readers: ['notes__read'] } })
    await client(gateway.url, { headers })
    const one = await client(`${gateway.url}/readers`, { headers: ofSet })
    expect((await one.listTools()).map(({ name }) => name)).toEqual(['notes__read'])
  })

  it('GW-007 authenticate at the gateway with their own credentials, which no upstream receives', async () => {
    const credentials: (string | undefined)[] = []
    const upstream = createServer((req, res) => {
      credentials.push(req.headers.authorization, req.headers['x-api-key']?.toString())
      res.writeHead(404).end()
    })
    await new Promise<void>((resolve) => upstream.listen(0, '127.0.0.1', resolve))
    onTestFinished(() => void upstream.close())
    const target = http(`http://127.0.0.1:${(upstream.address() as AddressInfo).port}/mcp`, { authorization: 'Bearer own' })
    const gateway = await started({ upstreams: [upstreamConfig('far', target)], ...keyed })
    const one = await client(gateway.url, { headers: bearer(await newKey(gateway, 'nightly')) })
    await one.listTools()
    await ask(gateway, '/servers/far/restart', { method: 'POST', body: {}, headers: operator })
    expect(credentials.length).toBeGreaterThan(0)
    expect(new Set(credentials)).toEqual(new Set(['Bearer own', undefined]))
  })

  it('on this machine need no credentials, unless a proxy forwards them or they use another host name', async () => {
    const { port } = await started({ upstreams: [notes()], allowedHosts: ['gateway.example'] })
    // An admitted request learns that GET opens no stream without a session.
    const calling = { accept: 'text/event-stream' }
    const may = await raw(port, '/mcp', calling)
    expect(may).not.toBe(401)
    expect(await raw(port, '/mcp', { ...calling, 'x-forwarded-for': '203.0.113.9' })).toBe(401)
    expect(await raw(port, '/mcp', { ...calling, host: 'gateway.example' })).toBe(401)
    expect(await raw(port, '/mcp', { ...calling, authorization: 'Bearer nonsense' })).toBe(401)
    expect(await raw(port, '/mcp', { ...calling, 'x-api-key': 'nonsense' })).toBe(401)
  })

  it('from the network need credentials, or the gateway does not start', async () => {
    await expect(started({ host: '0.0.0.0' })).rejects.toThrow('callers.apiKeys')
  })
})

describe('the management API', () => {
  it('requires its scope', async () => {
    const gateway = await started({ upstreams: [notes()], ...keyed })
    const [plain, admin] = [await newKey(gateway, 'plain'), await newKey(gateway, 'admin', ['toolwire:admin'])]
    expect((await ask(gateway, '/status', { bare: true })).status).toBe(401)
    expect((await ask(gateway, '/status', { headers: bearer(plain) })).status).toBe(403)
    expect((await ask(gateway, '/status', { headers: bearer(admin) })).status).toBe(200)
  })

  it('refuses pages of other sites', async () => {
    const gateway = await started({ upstreams: [notes()], allowedOrigins: ['https://app.example'] })
    const { port } = gateway
    const own = credentialsFor(gateway)
    const path = '/api/v1/status'
    expect(await raw(port, path, { host: 'rebound.example' })).toBe(403)
    expect(await raw(port, path, { origin: 'https://evil.example' })).toBe(403)
    expect(await raw(port, path, { origin: 'https://app.example' })).toBe(403)
    expect(await raw(port, path, { origin: 'http://localhost:1' })).toBe(403)
    expect(await raw(port, path, { 'sec-fetch-site': 'cross-site' })).toBe(403)
    expect(await raw(port, path, { ...own, host: `localhost:${port}`, origin: `http://localhost:${port}` })).toBe(200)
    expect(await raw(port, '/api/v1/servers/notes/restart', { ...own, 'content-type': 'text/plain' }, 'POST')).toBe(415)
    expect(await raw(port, '/api/v1/servers/notes/restart', { ...own, 'content-type': 'application/json' }, 'POST')).toBe(200)
    expect(await raw(port, '/metrics', { host: 'rebound.example' })).toBe(403)
  })

  it('explains errors in a request', async () => {
    const gateway = await started({ upstreams: [notes()] })
    const wrong = async (path: string, body?: object) => (await ask(gateway, path, body ? { body } : {})).status
    expect(await wrong('/nothing')).toBe(404)
    expect(await wrong('/audit?limit=x')).toBe(400)
    expect(await wrong('/audit?outcome=x')).toBe(400)
    expect(await wrong('/audit/99999')).toBe(404)
    expect(await wrong('/approvals/x', { decision: 'maybe' })).toBe(400)
    expect(await wrong('/keys', { caller: 'x'.repeat(1_048_577) })).toBe(413)
    expect(await wrong('/tools/none/call', {})).toBe(404)
    expect((await ask(gateway, '/status', { method: 'POST', body: {} })).status).toBe(405)
  })

  it('calls tools like a caller, guarded and recorded', async () => {
    const gateway = await started({ upstreams: [notes()] })
    const read = await ask(gateway, '/tools/notes__read/call', { body: {} })
    expect(read.body).toMatchObject({ isError: false, content: [{ type: 'text', text: 'nothing' }] })
    const write = ask(gateway, '/tools/notes__write/call', { body: { arguments: { text: 'hi' } } })
    const { key } = (await ask(gateway, '/keys', { body: { caller: 'ada', scopes: ['toolwire:admin'] } })).body
    const headers = { authorization: `Bearer ${key}` }
    await ask(gateway, `/approvals/${(await pending(gateway)).id}`, { body: { decision: 'allow' }, headers })
    expect((await write).body).toMatchObject({ isError: false, content: [{ text: 'written: hi' }] })
    const calls = await doneBy<{ tool: string; caller: string }>(gateway)
    expect(calls.map(({ tool, caller }) => `${caller} ${tool}`).sort()).toEqual([
      'ada toolwire/approval',
      'operator notes__read',
      'operator notes__write',
      'operator toolwire/add-key',
      'operator toolwire/use-approval',
    ])
  })

  it('describes each of its routes', async () => {
    const gateway = await started({ upstreams: [notes()] })
    const { paths } = (await ask(gateway, '/openapi.json')).body as { paths: Record<string, object> }
    expect(Object.keys(paths)).toEqual(expect.arrayContaining(['/approvals/{id}', '/audit/verify', '/events', '/openapi.json']))
    for (const path of Object.keys(paths)) {
      const response = await raw(gateway.port, `/api/v1${path.replaceAll(/\{\w+\}/g, 'x')}`, credentialsFor(gateway), 'PATCH')
      expect([path, response]).toEqual([path, 405])
    }
  })
})

describe('events', () => {
  it('UX-003 report the start and end of calls, and resume after the last seen event', async () => {
    const gateway = await started({ upstreams: [notes()] })
    const one = await client(gateway.url)
    const first = await listening(gateway, '/events')
    await one.call('notes__read')
    const { id = '' } = await first.first(({ data }) => data.what === 'begun')
    await first.first(({ data }) => data.what === 'ended')
    const again = await listening(gateway, '/events', { headers: { 'last-event-id': id } })
    await again.first(({ data }) => data.what === 'ended')
    expect(again.events.map(({ event, data }) => data.what ?? event)).toEqual(['ended'])
    await (await listening(gateway, '/events', { headers: { 'last-event-id': '00000000-5' } })).first(
      ({ event }) => event === 'missed',
    )
  })
})

describe('metrics', () => {
  it('count calls by outcome, refusals by reason, and the states of upstreams', async () => {
    const gateway = await started({ upstreams: [notes()] }, { patienceMs: 10 })
    const one = await client(gateway.url)
    await one.call('notes__read')
    await one.call('notes__write', { text: 'x' })
    const text = await (await fetch(`http://127.0.0.1:${gateway.port}/metrics`, { headers: credentialsFor(gateway) })).text()
    expect(text).toContain('toolwire_calls_total{tool="notes__read",server="notes",outcome="ok"} 1')
    expect(text).toContain('toolwire_refusals_total{reason="not-approved"} 1')
    expect(text).toContain('toolwire_upstream_state{upstream="notes",state="ready"} 1')
    expect(text).toContain('toolwire_call_duration_seconds_count{tool="notes__read",server="notes"} 1')
    expect(text).toContain('toolwire_approvals_pending 1')
  })
})

describe('a webhook', () => {
  const secret = 'a secret of sixteen'

  it('receives pending approvals, signed and with retries, and its answer decides', async () => {
    const requests: { timestamp: string; signature: string; body: string }[] = []
    const hook = createServer(async (req, res) => {
      let body = ''
      for await (const chunk of req) body += chunk
      requests.push({
        timestamp: `${req.headers['x-toolwire-timestamp']}`,
        signature: `${req.headers['x-toolwire-signature']}`,
        body,
      })
      if (requests.length === 1) res.writeHead(503).end()
      else res.end(JSON.stringify({ decision: requests.length === 2 ? 'allow' : 'deny', reason: 'enough' }))
    })
    await new Promise<void>((resolve) => hook.listen(0, '127.0.0.1', resolve))
    onTestFinished(() => void hook.close())
    const url = `http://127.0.0.1:${(hook.address() as AddressInfo).port}/`
    const gateway = await started({ upstreams: [notes()], webhook: { url, secret } })
    const one = await client(gateway.url)
    expect(words(await one.call('notes__write', { text: 'hi' }, { onProgress: () => undefined }))).toBe('written: hi')
    expect(words(await one.call('notes__write', { text: 'ho' }, { onProgress: () => undefined }))).toContain('enough')
    for (const { timestamp, signature, body } of requests)
      expect(signature).toBe(`v1=${createHmac('sha256', secret).update(`${timestamp}.${body}`).digest('hex')}`)
    expect(requests.map(({ body }) => JSON.parse(body).approval.arguments.text)).toEqual(['hi', 'hi', 'ho'])
    const { calls } = (await ask(gateway, '/audit?tool=toolwire/approval')).body as { calls: { caller: string }[] }
    expect(calls.map(({ caller }) => caller)).toEqual(['webhook', 'webhook'])
  })
})
