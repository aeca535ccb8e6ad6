import { lookup } from 'node:dns'
import type { LookupFunction } from 'node:net'
import { describe, expect, it, vi } from 'vitest'
import { egress, type Fetch } from '../../../src/client/oauth/egress/egress.js'
import { lookupWithin } from '../../../src/client/oauth/egress/pinned-fetch.js'
import { reachOf } from '../../../src/client/oauth/egress/reach.js'
import { rid } from '../../garbage.js'
import { expectWithin } from '../../soak.js'
import { call, thrownBy } from './call.js'
import { person, setting } from './setting.js'
import { type Handler, json, web } from './web.js'

const metadataAddress = 'https://169.254.169.254/latest/meta-data'

describe('requests to URLs from a server', () => {
  it.each([
    metadataAddress,
    'https://[fe80::1]/x',
    'https://10.0.0.1/x',
    'http://public.example/x',
    'file:///etc/passwd',
    'javascript:1',
  ])('AUTHC-028 do not go to %s', async (address) => {
    await using at = await setting({}, { challenge: () => `Bearer resource_metadata="${address}"` })
    const fetched: string[] = []
    const fetch: Fetch = async (url) => {
      fetched.push(url)
      return new Response()
    }
    expect(await thrownBy(call(person({ fetch, reach: 'public' }), at.server.url))).toMatchObject({ code: 'forbidden_address' })
    expect(fetched).toEqual([])
  })

  it('AUTHC-028 go to this machine only if the server is on it', () => {
    expect(reachOf('http://127.0.0.1:1/mcp')).toBe('loopback')
    expect(reachOf('http://localhost/mcp')).toBe('loopback')
    expect(reachOf('https://[::1]/mcp')).toBe('loopback')
    expect(reachOf('https://192.168.1.9/mcp')).toBe('private')
    expect(reachOf('https://mcp.example/mcp')).toBe('public')
    expect(reachOf('https://localhost.example/mcp')).toBe('public')
  })

  it.each([
    'http://127.0.0.1:9/x',
    'https://localhost/x',
    'https://0x7f000001/x',
    'https://2130706433/x',
    'https://[::ffff:7f00:1]/x',
  ])('AUTHC-028 do not go from a public server to %s', async (address) => {
    expect(await thrownBy(egress('public')(address))).toMatchObject({ code: 'forbidden_address' })
  })

  it.each([
    [['127.0.0.1'], 'public', []],
    [['169.254.169.254'], 'loopback', []],
    [['10.0.0.1', '8.8.8.8'], 'public', ['8.8.8.8']],
    [['10.0.0.1'], 'private', ['10.0.0.1']],
  ] as const)('AUTHC-028 connect only to the checked address: %j for %s', async (found, reach, expected) => {
    // A rebinding name could change between check and connection, so it must be resolved only once.
    const resolve = ((_host: string, _options: object, done: (error: null, found: object[]) => void) =>
      done(
        null,
        found.map((address) => ({ address, family: 4 })),
      )) as unknown as typeof lookup
    expect(await looked(lookupWithin(reach, resolve), true)).toEqual(expected)
    expect(await looked(lookupWithin(reach, resolve), false)).toEqual(expected.slice(0, 1))
  })

  it('AUTHC-028 connect only to the checked address: a name of this machine is not public', async () => {
    expect(await thrownBy(egress('public', undefined)('https://localtest.me.localhost./x'))).toMatchObject({
      code: 'forbidden_address',
    })
    expect(await looked(lookupWithin('public', lookup), true, 'localhost')).toEqual([])
  })

  const answering = async (handle: (origin: string) => Handler) => {
    const server = await web(handle)
    return { server, get: (path: string, init = {}) => egress('loopback')(server.origin + path, init) }
  }

  it('AUTHC-028 follow three redirects within one origin', async () => {
    const { server, get } = await answering(() => ({ path }) => {
      const left = Number(path.slice(1))
      return left > 0 ? { status: 302, headers: { location: `/${left - 1}` } } : json({ end: true })
    })
    await using _ = server
    expect(await (await get('/3')).json()).toEqual({ end: true })
    expect(await thrownBy(get('/4'))).toMatchObject({ code: 'bad_answer' })
  })

  it.each([
    'http://localhost:1/',
    metadataAddress,
    '//127.0.0.2/',
    'https://%',
  ])('AUTHC-028 do not follow a redirect to %s', async (location) => {
    const { server, get } = await answering(() => () => ({ status: 307, headers: { location } }))
    await using _ = server
    expect(await thrownBy(get('/'))).toMatchObject({ code: 'forbidden_address' })
  })

  it('do not repeat a posted body at another URL', async () => {
    const { server, get } = await answering(() => () => ({ status: 307, headers: { location: '/other' } }))
    await using _ = server
    expect(await thrownBy(get('/', { method: 'POST', body: 'secret' }))).toMatchObject({ code: 'bad_answer' })
    expect(server.at('/other')).toEqual([])
  })

  it('read at most 1 MiB', async () => {
    const { server, get } = await answering(() => ({ path }) => ({ status: 200, body: 'x'.repeat(Number(path.slice(1))) }))
    await using _ = server
    expect((await (await get(`/${2 ** 20}`)).text()).length).toBe(2 ** 20)
    expect(await thrownBy(get(`/${2 ** 20 + 1}`))).toMatchObject({ code: 'bad_answer' })
  })

  it('time out after five seconds', async () => {
    const { server, get } = await answering(() => () => new Promise(() => undefined))
    await using _ = server
    const start = performance.now()
    expect(await thrownBy(get('/'))).toMatchObject({ code: 'timed_out' })
    expectWithin(performance.now() - start, 6_000)
  })

  it('are aborted by their signal, even after garbage collection', async () => {
    const { server, get } = await answering(() => () => new Promise(() => undefined))
    await using _ = server
    const given = new AbortController()
    const asking = thrownBy(get('/', { signal: given.signal }))
    await vi.waitUntil(() => server.at('/').length > 0, 60_000)
    await rid()
    const outcome = Promise.race([asking.then(() => 'ended'), new Promise((resolve) => setTimeout(resolve, 60_000, 'goes on'))])
    given.abort()
    expect(await outcome).toBe('ended')
  })

  it('fail with an error that omits what was sent', async () => {
    const thrown = await thrownBy(egress('loopback')('http://127.0.0.1:1/?q=secret'))
    expect(thrown).toMatchObject({ code: 'unreachable' })
    expect(String(thrown)).not.toContain('secret')
  })
})

/** The addresses that a lookup accepts. */
function looked(look: LookupFunction, all: boolean, host = 'name.example'): Promise<string[]> {
  return new Promise((resolve) =>
    look(host, { all }, (error, found) => {
      if (error) resolve([])
      else resolve(typeof found === 'string' ? [found] : found.map(({ address }) => address))
    }),
  )
}
