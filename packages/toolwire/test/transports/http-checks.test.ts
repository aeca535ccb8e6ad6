// The order in which an HTTP request is validated, and the response of each check.
import { request as httpRequest } from 'node:http'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Authenticate, anyOf, apiKeys, memoryApiKeys, scopeHierarchy } from '../../src/auth/index.js'
import { type Listening, listen, nodeHandler } from '../../src/node.js'
import { fetchHandler } from '../../src/transports/http/server/fetch/fetch-handler.js'
import type { HttpOptions } from '../../src/transports/http/server/options.js'
import { call, fixture, initialize, initialized, meta, modern, selfDescribing } from './fixture.js'
import { both, mirrored } from './peers.js'

const anyHost = 'write one such as app.example, 10.0.0.7:8080 or [::1]'
const anyOrigin = 'write one such as https://app.example'

type Answer = { status: number; headers: Record<string, string | string[] | undefined>; body: string }

/** Sends exactly these headers, which fetch would change. */
function ask(
  url: string,
  { method = 'POST', headers = {}, body = '' }: { method?: string; headers?: Record<string, string>; body?: string | Uint8Array },
): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const request = httpRequest(url, { method, headers, agent: false }, (response) => {
      const chunks: Buffer[] = []
      response.on('data', (chunk: Buffer) => chunks.push(chunk))
      response.on('end', () =>
        resolve({ status: response.statusCode ?? 0, headers: response.headers, body: Buffer.concat(chunks).toString() }),
      )
      response.on('error', reject)
    })
    request.on('error', reject)
    request.end(body)
  })
}

const json = { 'content-type': 'application/json', accept: both }
const ping = JSON.stringify(selfDescribing(call(1, 'echo', { text: 'x' })))
const good = { ...json, ...mirrored(JSON.parse(ping)) }

describe('the order of checks', () => {
  let listening: Listening
  const { app, seen } = fixture()
  beforeAll(async () => {
    listening = await listen(app, {
      signals: false,
      authenticate: ({ header }) => (header('authorization') === 'Bearer good' ? { id: 'ann', scopes: [] } : undefined),
    })
  })
  afterAll(() => listening.close())

  /** Each step breaks one more part than the next step. The response reports the first broken part. */
  const steps: [
    string,
    number,
    number | undefined,
    (request: { method: string; headers: Record<string, string>; body: string }) => void,
  ][] = [
    [
      'HTTP-027 Origin',
      403,
      -32600,
      (request) => {
        request.headers.origin = 'https://evil.example'
      },
    ],
    [
      'HTTP-029 size',
      413,
      -32600,
      (request) => {
        request.headers['content-length'] = String(5 * 1024 * 1024)
      },
    ],
    [
      'credentials',
      401,
      -32600,
      (request) => {
        request.headers.authorization = 'Bearer bad'
      },
    ],
    [
      'content type',
      415,
      -32600,
      (request) => {
        request.headers['content-type'] = 'text/plain'
      },
    ],
    [
      'accept',
      406,
      -32600,
      (request) => {
        request.headers.accept = 'text/html'
      },
    ],
    [
      'JSON',
      400,
      -32700,
      (request) => {
        request.body = `${request.body}}`
      },
    ],
    [
      'envelope',
      400,
      -32600,
      (request) => {
        request.body = request.body.replace('"2.0"', '"1.0"')
      },
    ],
    [
      'HTTP-017 header against body',
      400,
      -32020,
      (request) => {
        request.headers['mcp-protocol-version'] = '2025-11-25'
      },
    ],
    ['HTTP-028 version', 400, -32022, (request) => rename(request, '2099-01-01')],
    [
      'HTTP-024 mirrored method',
      400,
      -32020,
      (request) => {
        request.headers['mcp-method'] = 'tools/list'
      },
    ],
    [
      'HTTP-023 mirrored name',
      400,
      -32020,
      (request) => {
        delete request.headers['mcp-name']
      },
    ],
    [
      'the rest of _meta',
      400,
      -32602,
      (request) => {
        request.body = request.body.replace('"io.modelcontextprotocol/clientCapabilities":{}', '"a":{}')
      },
    ],
    [
      'HTTP-018 method',
      404,
      -32601,
      (request) => {
        request.body = request.body.replace('tools/call', 'tools/nope')
        request.headers['mcp-method'] = 'tools/nope'
      },
    ],
  ]
  const rename = (request: { headers: Record<string, string>; body: string }, version: string) => {
    request.body = request.body.replaceAll(modern, version)
    request.headers['mcp-protocol-version'] = version
  }

  /** Combined with others, these breaks would repair them. */
  const undoing = ['HTTP-028 version', 'HTTP-017 header against body', 'HTTP-018 method']

  it.each(
    steps.map(([name, status, code], at) => [name, status, code, at] as const),
  )('%s is checked before all later parts: %i', async (_name, status, code, at) => {
    const request = { method: 'POST', headers: { ...good, authorization: 'Bearer good' } as Record<string, string>, body: ping }
    // The last part is broken first, because some breaks would undo a later one.
    const broken = steps.slice(at).filter(([other], later) => later === 0 || !undoing.includes(other))
    for (const [, , , spoil] of broken.reverse()) spoil(request)
    const answer = await ask(listening.url, request)
    expect([answer.status, JSON.parse(answer.body).error.code]).toEqual([status, code])
    expect(seen.ran).toBe(0)
  })

  it('accepts a valid request', async () => {
    const answer = await ask(listening.url, { headers: { ...good, authorization: 'Bearer good' }, body: ping })
    expect([answer.status, seen.ran]).toEqual([200, 1])
  })

  it('sends a challenge if credentials are missing', async () => {
    const answer = await ask(listening.url, { headers: good, body: ping })
    expect([answer.status, answer.headers['www-authenticate']]).toEqual([401, 'Bearer'])
  })

  // A thenable as database libraries return it, whatever their types say.
  const ann = { id: 'ann', scopes: [] }
  // biome-ignore lint/suspicious/noThenProperty: it is what this is about
  const later = (found: unknown) => ({ then: (tell: (found: unknown) => void) => void tell(found) })
  it.each([
    ['null', null, 401],
    ['null in a promise', Promise.resolve(null), 401],
    ['a caller', ann, 200],
    ['a caller in a promise', Promise.resolve(ann), 200],
    ['null in a thenable', later(null), 401],
    ['a caller in a thenable', later(ann), 200],
  ])('accepts %s like its value', async (_, found, status) => {
    const asked = await listen(fixture().app, { signals: false, authenticate: () => found as never })
    try {
      expect((await ask(asked.url, { headers: good, body: ping })).status).toBe(status)
    } finally {
      await asked.close()
    }
  })
})

describe('the access checks', () => {
  let listening: Listening
  const { app, seen } = fixture()
  beforeAll(async () => {
    listening = await listen(app, { signals: false, origins: ['https://app.example'], hosts: ['tools.example'] })
  })
  afterAll(() => listening.close())

  it.each([
    [undefined, 200],
    ['http://localhost:5173', 200],
    ['http://127.0.0.1', 200],
    ['http://[::1]:80', 200],
    ['https://app.example', 200],
    ['HTTPS://APP.EXAMPLE', 200],
    ['null', 403],
    ['https://evil.example', 403],
    ['http://localhost.evil.example', 403],
    ['https://app.example.evil.example', 403],
    ['http://evil@localhost', 403],
    ['', 403],
  ])('SHTTP-042 SHTTP-043 HTTP-027 Origin %s: %i', async (origin, status) => {
    for (const method of ['POST', 'GET', 'DELETE']) {
      const answer = await ask(listening.url, {
        method,
        headers: { ...good, ...(origin !== undefined && { origin }) },
        body: method === 'POST' ? ping : '',
      })
      expect(answer.status).toBe(status === 403 ? 403 : method === 'POST' ? 200 : 400)
    }
  })

  it('HTTP-031 refuses a page with an error without an id', async () => {
    const { body } = await ask(listening.url, { headers: { ...good, origin: 'https://evil.example' }, body: ping })
    expect(JSON.parse(body)).toEqual({
      jsonrpc: '2.0',
      error: { code: -32600, message: expect.stringContaining('evil.example') },
    })
  })

  it.each([
    ['localhost', 200],
    ['LOCALHOST', 200],
    ['LOCALHOST:99', 403],
    ['[::1]:1', 403],
    ['tools.example', 200],
    ['tools.example:8080', 200],
    ['evil.example', 403],
    ['localhost.evil.example', 403],
    ['127.0.0.1.evil.example:80', 403],
  ])('SHTTP-046 Host %s: %i', async (host, status) => {
    expect((await ask(listening.url, { headers: { ...good, host }, body: ping })).status).toBe(status)
  })

  it.each<[HttpOptions, string | undefined]>([
    [
      {
        hosts: [
          'Tools.Example',
          'tools.example:8080',
          'my_host',
          'xn--mnchen-3ya.example',
          '10.0.0.7',
          '[::1]:1',
          '[2001:db8::1]',
        ],
      },
      undefined,
    ],
    [{ hosts: 'any' }, undefined],
    [{ hosts: ['münchen.example'] }, 'write xn--mnchen-3ya.example'],
    [{ hosts: ['tools.example:443'] }, 'write tools.example'],
    [{ hosts: ['tools.example:80'] }, 'write tools.example'],
    [{ hosts: ['https://tools.example:8443/mcp'] }, 'write tools.example:8443'],
    [{ hosts: ['[2001:DB8:0::1]'] }, 'write [2001:db8::1]'],
    [{ hosts: ['2001:db8::1'] }, anyHost],
    [{ hosts: ['*.example'] }, anyHost],
    [{ hosts: [''] }, anyHost],
    [
      {
        origins: [
          'HTTPS://App.Example',
          'http://app.example:8080',
          'https://[2001:db8::1]:1',
          'chrome-extension://abc',
          'file://',
          'null',
        ],
      },
      undefined,
    ],
    [{ origins: ['https://app.example/'] }, 'write https://app.example'],
    [{ origins: ['https://app.example:443'] }, 'write https://app.example'],
    [{ origins: ['https://münchen.example'] }, 'write https://xn--mnchen-3ya.example'],
    [{ origins: ['https://app.example/login?next=/'] }, 'write https://app.example'],
    [{ origins: ['app.example'] }, anyOrigin],
    [{ origins: ['https://*.example'] }, anyOrigin],
    [{ origins: ['*'] }, anyOrigin],
  ])('with %j are made, or refused with the spelling that clients use: %s', (options, advice) => {
    const made = () => nodeHandler(app, options)
    if (advice === undefined) expect(made).not.toThrow()
    else expect(made).toThrow(new RegExp(`; ${advice.replace(/[[\]]/g, '\\$&')}$`))
  })

  it('HTTP-030 answers preflights of allowed origins only', async () => {
    const headers = { 'access-control-request-method': 'POST', 'access-control-request-headers': 'mcp-param-region, x-other' }
    const allowed = await ask(listening.url, { method: 'OPTIONS', headers: { ...headers, origin: 'https://app.example' } })
    expect([allowed.status, allowed.headers['access-control-allow-origin']]).toEqual([204, 'https://app.example'])
    for (const name of [
      'Mcp-Method',
      'Mcp-Name',
      'MCP-Protocol-Version',
      'Mcp-Session-Id',
      'Last-Event-ID',
      'Authorization',
      'Content-Type',
      'mcp-param-region',
    ]) {
      expect(allowed.headers['access-control-allow-headers']).toContain(name)
    }
    expect(allowed.headers['access-control-allow-headers']).not.toContain('x-other')
    const foreign = await ask(listening.url, { method: 'OPTIONS', headers: { ...headers, origin: 'https://evil.example' } })
    expect([foreign.status, foreign.headers['access-control-allow-origin']]).toEqual([403, undefined])
  })

  const keyed = apiKeys({ store: memoryApiKeys([]), header: 'X-Shop-Key' })
  it.each<[string, Authenticate, boolean]>([
    ['a key', keyed, true],
    ['a key among others', anyOf(() => undefined, keyed), true],
    ['a key with more scopes', scopeHierarchy({}, keyed), true],
    ['a credential of its own', Object.assign(() => undefined, { headers: ['x-shop-key'] }), true],
    ['no such credential', () => undefined, false],
  ])('HTTP-030 lets pages of allowed origins send the header of %s', async (_, authenticate, allowed) => {
    const handler = fetchHandler(fixture().app['~application'], { authenticate, origins: ['https://app.example'] })
    const headers = { host: 'localhost', origin: 'https://app.example', 'access-control-request-headers': 'x-shop-key' }
    const answer = await handler(new Request('http://localhost/', { method: 'OPTIONS', headers }))
    expect(answer.headers.get('access-control-allow-headers')?.split(', ').includes('x-shop-key')).toBe(allowed)
  })

  it('HTTP-030 lets pages of allowed origins read the response headers', async () => {
    const answer = await ask(listening.url, {
      headers: { ...json, origin: 'https://app.example' },
      body: JSON.stringify(initialize('2025-11-25')),
    })
    expect(answer.headers['access-control-allow-origin']).toBe('https://app.example')
    expect(answer.headers['access-control-expose-headers']).toContain('Mcp-Session-Id')
    expect(answer.headers['mcp-session-id']).toBeDefined()
  })

  it.each([
    ['application/json', 200],
    ['Application/JSON; charset=utf-8', 200],
    ['text/plain', 415],
    ['application/jsonp', 415],
    ['', 415],
  ])('SHTTP-004 Content-Type %s: %i', async (type, status) => {
    expect((await ask(listening.url, { headers: { ...good, 'content-type': type }, body: ping })).status).toBe(status)
  })

  it.each([
    ['gzip', 415],
    ['identity', 200],
  ])('Content-Encoding %s: %i', async (encoding, status) => {
    expect((await ask(listening.url, { headers: { ...good, 'content-encoding': encoding }, body: ping })).status).toBe(status)
  })

  it.each([
    ['*/*', 200],
    ['application/*', 200],
    ['application/json;q=0.5, text/html', 200],
    ['text/html', 406],
    ['text/event-stream', 406],
    ['application/json;q=0, */*', 406],
  ])('SHTTP-004 Accept %s: %i', async (accept, status) => {
    expect((await ask(listening.url, { headers: { ...good, accept }, body: ping })).status).toBe(status)
  })

  it('sends no stream to a client that only accepts JSON', async () => {
    const message = selfDescribing(call(1, 'slow', { ms: 20 }, { _meta: { progressToken: 1 } }))
    const answer = await ask(listening.url, {
      headers: { ...good, ...mirrored(message), accept: 'application/json' },
      body: JSON.stringify(message),
    })
    expect([answer.headers['content-type'], JSON.parse(answer.body).id]).toEqual(['application/json', 1])
  })

  it.each(['PUT', 'PATCH', 'TRACE'])('SHTTP-001 %s is not allowed', async (method) => {
    const answer = await ask(listening.url, { method, headers: good })
    expect([answer.status, answer.headers.allow]).toEqual([405, 'POST, GET, DELETE, OPTIONS'])
  })

  it('HTTP-029 refuses too many bytes of headers before reading further', async () => {
    expect((await ask(listening.url, { headers: { ...good, 'x-long': 'x'.repeat(17_000) }, body: ping })).status).toBe(431)
  })

  it('HTTP-029 counts the actual bytes of a body without a length', async () => {
    const answer = await ask(listening.url, {
      headers: { ...good, 'transfer-encoding': 'chunked' },
      body: Buffer.alloc(4 * 1024 * 1024 + 1, ' '),
    })
    expect(answer.status).toBe(413)
    const whole = Buffer.concat([Buffer.alloc(4 * 1024 * 1024 - ping.length, ' '), Buffer.from(ping)])
    expect((await ask(listening.url, { headers: { ...good, 'transfer-encoding': 'chunked' }, body: whole })).status).toBe(200)
  })

  it('is healthy at /health and nowhere else', async () => {
    const { origin } = new URL(listening.url)
    expect((await ask(`${origin}/health`, { method: 'GET' })).body).toBe('{"status":"ok"}')
    expect((await ask(`${origin}/else`, { method: 'GET' })).status).toBe(404)
  })

  it('has run only accepted requests', () => expect(seen.ran).toBeGreaterThan(0))
})

describe('the available endpoints', () => {
  it('HTTP-001 HTTP-002 are only POST if no revision has sessions', async () => {
    const listening = await listen(fixture({ revisions: [modern] }).app, { signals: false })
    for (const method of ['GET', 'DELETE']) {
      const answer = await ask(listening.url, { method, headers: { accept: both } })
      expect([answer.status, answer.headers.allow]).toEqual([405, 'POST, OPTIONS'])
    }
    await listening.close()
  })

  it('HTTP-019 require the version header if no older revision is served', async () => {
    const handler = fetchHandler(fixture({ revisions: [modern] }).app['~application'])
    const post = async (message: object, headers = {}) => {
      const answer = await handler(
        new Request('http://localhost/', { method: 'POST', headers: { ...json, ...headers }, body: JSON.stringify(message) }),
      )
      return [answer.status, (await answer.json()).error] as const
    }
    const [status, error] = await post(call(1, 'echo', { text: 'x' }))
    expect([status, error.code]).toEqual([400, -32020])
    const [opened, refused] = await post(initialize('2025-11-25'))
    expect([opened, refused.code, refused.data.supported]).toEqual([400, -32022, [modern]])
  })

  it('SHTTP-040 HTTP-020 treat requests without metadata and session as 2025-03-26', async () => {
    const handler = fetchHandler(fixture().app['~application'], { sessionless: true })
    const post = (message: object, headers = {}) =>
      handler(
        new Request('http://localhost/', { method: 'POST', headers: { ...json, ...headers }, body: JSON.stringify(message) }),
      )
    const opening = await post(initialize('2025-06-18'))
    expect([opening.status, opening.headers.get('mcp-session-id')]).toEqual([200, null])
    expect((await post(initialized)).status).toBe(202)
    const [tool] = (await (await post({ jsonrpc: '2.0', id: 1, method: 'tools/list' })).json()).result.tools
    expect(tool).not.toHaveProperty('title')
    expect((await (await post(call(2, 'echo', { text: 'x' }))).json()).result).not.toHaveProperty('resultType')
    // Only this revision has batches.
    expect(await (await post([{ jsonrpc: '2.0', id: 3, method: 'ping' }])).json()).toHaveLength(1)
    expect((await post({ jsonrpc: '2.0', id: 4, method: 'ping' }, { 'mcp-protocol-version': '1.0' })).status).toBe(400)
  })

  it('HTTP-029 count header bytes if no front server does', async () => {
    const handler = fetchHandler(fixture().app['~application'])
    expect(
      (
        await handler(
          new Request('http://localhost/', { method: 'POST', headers: { ...good, 'x-long': 'x'.repeat(17_000) }, body: ping }),
        )
      ).status,
    ).toBe(431)
  })

  it('SHTTP-044 SHTTP-045 are only available on this machine by default', async () => {
    const { app } = fixture()
    await expect(listen(app, { host: '0.0.0.0', signals: false })).rejects.toThrow(/authenticate/)
    const alone = await listen(app, { signals: false })
    expect(alone.host).toBe('127.0.0.1')
    await alone.close()
    const open = await listen(app, { host: '0.0.0.0', allowUnauthenticated: true, signals: false })
    expect(open.port).toBeGreaterThan(0)
    await open.close()
  })

  it('respond with -32020 if the headers name another revision than the body', async () => {
    const handler = fetchHandler(fixture().app['~application'])
    const body = JSON.stringify({ ...call(1, 'echo', { text: 'x' }), params: { name: 'echo', _meta: meta() } })
    const answer = await handler(new Request('http://localhost/', { method: 'POST', headers: json, body }))
    expect([answer.status, (await answer.json()).error.code]).toEqual([400, -32020])
  })
})
