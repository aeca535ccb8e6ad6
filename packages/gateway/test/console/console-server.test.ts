// The console over HTTP: authentication, response headers, and audit records.

import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import { mkdirSync, writeFileSync } from 'node:fs'
import type { Server } from 'node:http'
import { connect, createServer, type Socket } from 'node:net'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { defaultGuard } from '../../src/config/gateway-config.js'
import { defaultConsolePort } from '../../src/console/console-server.js'
import { openDatabase } from '../support/open-database.js'
import { ask, doneBy, folder, started, until } from '../support/running-gateway.js'
import { enter, send, withConsole } from './console-visitor.js'

/** The diagnostics message of Node for a request that arrives at a server of this process. */
type Arrived = { readonly server: Server; readonly socket: Socket }

const paths = ['/', '/icon.svg', '/nothing', '/session', '/api/v1/status', '/api/v1/nothing'] as const

describe('every answer of the console', () => {
  it.each(paths)('of %s restricts the browser to what the page needs', async (path) => {
    const { headers } = await (await withConsole()).send(path)
    const { 'content-security-policy': policy = '' } = headers
    const rules = Object.fromEntries(policy.split('; ').map((rule) => [rule.split(' ')[0], rule.split(' ').slice(1).join(' ')]))
    expect(rules).toEqual({
      'default-src': "'none'",
      'script-src': "'self'",
      'style-src': "'self'",
      'img-src': "'self' blob: data:",
      'media-src': 'blob: data:',
      'connect-src': "'self'",
      'font-src': "'none'",
      'form-action': "'none'",
      'base-uri': "'none'",
      'frame-ancestors': "'none'",
      'require-trusted-types-for': "'script'",
      'trusted-types': "'none'",
    })
    expect(headers).toMatchObject({
      'x-frame-options': 'DENY',
      'x-content-type-options': 'nosniff',
      'referrer-policy': 'no-referrer',
      'cross-origin-opener-policy': 'same-origin',
      'cross-origin-resource-policy': 'same-origin',
      'permissions-policy': expect.stringContaining('camera=()'),
      'cache-control': expect.stringMatching(/^no-(cache|store)$/),
    })
    expect(Object.keys(headers).filter((name) => name.startsWith('access-control'))).toEqual([])
  })

  it.each(paths)('of %s is only for its own page at a local address', async (path) => {
    const gateway = await withConsole()
    const credentials = await enter(gateway)
    const { host, port } = new URL(gateway.home)
    const status = async (headers: Record<string, string>) =>
      (await gateway.send(path, { headers: { ...credentials, ...headers } })).status
    const usual = await status({})
    expect(usual).not.toBe(403)
    expect(await status({ host: `localhost:${port}`, origin: `http://localhost:${port}` })).toBe(usual)
    expect(await status({ origin: gateway.home, 'sec-fetch-site': 'same-origin' })).toBe(usual)
    expect(await status({ 'sec-fetch-site': 'none' })).toBe(usual)
    const foreign: Record<string, string>[] = [
      { host: 'rebound.example' },
      { host: `rebound.example:${port}`, origin: `http://rebound.example:${port}` },
      { host: `127.0.0.1.rebound.example:${port}` },
      { origin: 'http://127.0.0.1:1' },
      { origin: `http://localhost:${port}` },
      { origin: 'null' },
      { origin: `${gateway.home}.example` },
      { 'sec-fetch-site': 'cross-site' },
      { 'sec-fetch-site': 'same-site' },
      { host, 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'navigate', 'sec-fetch-dest': 'iframe' },
    ]
    for (const headers of foreign) expect([headers, await status(headers)]).toEqual([headers, 403])
  })
})

describe('the API on the console', () => {
  it('accepts the cookie with the header, and identifies its user', async () => {
    const gateway = await withConsole()
    const { id, ...credentials } = await enter(gateway, 'Browser/7')
    const { cookie, 'x-toolwire-session': key } = credentials
    const status = async (headers: Record<string, string>) => (await gateway.send('/api/v1/status', { headers })).status
    expect(await status(credentials)).toBe(200)
    const wrong: Record<string, string>[] = [
      {},
      { cookie },
      { 'x-toolwire-session': key },
      { ...credentials, 'x-toolwire-session': '' },
      { ...credentials, cookie: `${cookie}x` },
    ]
    for (const headers of wrong) expect(await status(headers)).toBe(401)
    // Credentials of the gateway's own port are invalid here, and vice versa.
    expect(await status({ authorization: 'Bearer anything' })).toBe(401)
    await gateway.send('/api/v1/keys', { body: { caller: 'nightly' }, headers: credentials })
    const calls = await doneBy<{ caller: string; tool: string }>(gateway)
    expect(
      calls
        .filter(({ tool }) => !/refuse-request|console-link/.test(tool))
        .map(({ caller, tool }) => [caller, tool])
        .sort(),
    ).toEqual([
      [`console:${id}`, 'toolwire/add-key'],
      [`console:${id}`, 'toolwire/open-console'],
    ])
  })

  it('records sessions in a log that was switched on after the start', async () => {
    const gateway = await withConsole({ config: { guard: { ...defaultGuard, audit: false } } })
    await gateway.change({ ...gateway.config, guard: defaultGuard })
    const { id, ...headers } = await enter(gateway)
    expect((await gateway.send('/session', { method: 'DELETE', headers })).status).toBe(200)
    const calls = await doneBy<{ caller: string; tool: string }>(gateway, '?text=-console')
    expect(calls.map(({ caller, tool }) => [caller, tool])).toEqual([
      [`console:${id}`, 'toolwire/close-console'],
      [`console:${id}`, 'toolwire/open-console'],
    ])
  })

  it('records refused requests under the id of the session', async () => {
    const gateway = await withConsole()
    const { id, ...credentials } = await enter(gateway)
    expect((await gateway.send('/api/v1/console/links', { body: {}, headers: credentials })).status).toBe(403)
    expect((await gateway.send('/api/v1/console/links', { body: {} })).status).toBe(401)
    await until(async () => (await doneBy(gateway, '?tool=toolwire/refuse-request')).length === 2)
    const refused = await doneBy<{ caller: string }>(gateway, '?tool=toolwire/refuse-request')
    expect(refused.map(({ caller }) => caller).sort()).toEqual([`console:${id}`, 'unknown'])
  })

  it('lists sessions, and ends them', async () => {
    const gateway = await withConsole()
    const [own, other] = [await enter(gateway, 'Own/1'), await enter(gateway, 'Other/1')]
    const { id: _, ...credentials } = own
    const { sessions } = JSON.parse((await gateway.send('/api/v1/console/sessions', { headers: credentials })).text)
    expect(sessions.map((one: { id: string; browser: string; own: boolean }) => [one.id, one.browser, one.own])).toEqual([
      [own.id, 'Own/1', true],
      [other.id, 'Other/1', false],
    ])
    const path = `/api/v1/console/sessions/${other.id}`
    expect((await gateway.send(path, { method: 'DELETE', headers: credentials })).status).toBe(200)
    expect((await gateway.send(path, { method: 'DELETE', headers: credentials })).status).toBe(404)
    const { id: __, ...others } = other
    expect((await gateway.send('/session', { headers: others })).status).toBe(401)
    const { headers, status } = await gateway.send('/session', { method: 'DELETE', headers: credentials })
    expect([status, headers['set-cookie']]).toEqual([200, expect.stringMatching(/^__Host-toolwire-\d+=; Max-Age=0; .*Secure/)])
    expect((await gateway.send('/session', { headers: credentials })).status).toBe(401)
  })

  it('ends streams with their session', async () => {
    const gateway = await withConsole()
    const { id: _, ...credentials } = await enter(gateway)
    const response = await fetch(`${gateway.home}/api/v1/events`, { headers: credentials })
    const reader = response.body?.getReader()
    gateway.control.events.add('config', { what: 'changed' })
    expect((await reader?.read())?.done).toBe(false)
    await gateway.send('/session', { method: 'DELETE', headers: credentials })
    for (let read = await reader?.read(); read && !read.done; read = await reader?.read());
    // Later events have no recipient.
    gateway.control.events.add('config', { what: 'changed' })
    expect((await gateway.send('/')).status).toBe(200)
  })

  it('aborts a download when its session ends, so that half of it does not look complete', async () => {
    const gateway = await withConsole()
    const { id: _, ...credentials } = await enter(gateway)
    vi.spyOn(gateway.control.store.audit, 'export').mockImplementation(async function* () {
      yield 'the first record\n'
      await new Promise(() => undefined)
    })
    const response = await fetch(`${gateway.home}/api/v1/audit/export`, { headers: credentials })
    const reader = response.body?.getReader()
    expect((await reader?.read())?.done).toBe(false)
    const rest = reader?.read()
    const cut = expect(rest).rejects.toThrow()
    await gateway.send('/session', { method: 'DELETE', headers: credentials })
    await cut
  })

  it('ends streams when their session expires, without a request', async () => {
    let now = Date.now()
    const gateway = await withConsole({ options: { console: { now: () => now } } })
    const { id: _, ...credentials } = await enter(gateway)
    const response = await fetch(`${gateway.home}/api/v1/events`, { headers: credentials })
    now += 30 * 60_000
    await response.text()
    expect(gateway.control.store.sessions.entries()).toEqual([])
  })

  it('ends a session even while the database cannot be written', async () => {
    const dataDir = join(folder(), 'data')
    const gateway = await withConsole({ config: { dataDir } })
    const { id: _, ...credentials } = await enter(gateway)
    // Another writer blocks the database.
    const other = openDatabase(dataDir)
    onTestFinished(() => void other.close())
    other.exec('BEGIN IMMEDIATE')
    const ending = gateway.send('/session', { method: 'DELETE', headers: credentials })
    await until(async () => (await gateway.send('/session', { headers: credentials })).status === 401)
    other.exec('ROLLBACK')
    await ending
    expect((await gateway.send('/session', { headers: credentials })).status).toBe(401)
  })

  it('counts requests as use only with a person present', async () => {
    let now = Date.now()
    const gateway = await withConsole({ options: { console: { now: () => now } } })
    const { id: _, ...credentials } = await enter(gateway)
    const status = async (more = {}) => (await gateway.send('/api/v1/status', { headers: { ...credentials, ...more } })).status
    now += 20 * 60_000
    expect(await status()).toBe(200)
    now += 20 * 60_000
    expect(await status({ 'x-toolwire-unattended': '1' })).toBe(200)
    now += 10 * 60_000
    expect(await status()).toBe(401)
  })

  it('replaces the session of a browser that logs in with another link', async () => {
    const gateway = await withConsole()
    const { cookie } = await enter(gateway)
    const token = gateway.loginLink()?.split('=')[1]
    const { status } = await gateway.send('/session', { body: { token }, headers: { cookie } })
    expect(status).toBe(200)
    expect((await ask(gateway, '/console/sessions')).body.sessions).toHaveLength(1)
  })

  it('accepts a token as JSON, and gives no reason for a refusal', async () => {
    const gateway = await withConsole()
    const link = gateway.loginLink() ?? ''
    const [origin, token] = link.split('/#login=')
    expect(origin).toBe(gateway.home)
    const attempt = async (body: unknown) => (await gateway.send('/session', { body })).status
    expect([await attempt({}), await attempt({ token: 5 }), await attempt({ token: 'x' }), await attempt([])]).toEqual([
      401, 401, 401, 400,
    ])
    const form = { method: 'POST', headers: { 'content-type': 'text/plain' } }
    expect((await gateway.send('/session', form)).status).toBe(415)
    expect((await gateway.send('/session', { method: 'PUT', body: {} })).status).toBe(405)
    expect(await attempt({ token })).toBe(200)
    expect(await attempt({ token })).toBe(401)
  })

  it('reads at most 4 KiB of a token, from anyone', async () => {
    const gateway = await withConsole()
    const attempt = (length: number) => gateway.send('/session', { body: { token: 'x'.repeat(length) } })
    expect((await attempt(4_000)).status).toBe(401)
    expect(await attempt(5_000)).toMatchObject({ status: 413, text: expect.stringContaining('larger than 4096 bytes') })
    // The second one comes on the same connection.
    for (const length of [900_000, 900_000, 5_000]) expect((await attempt(length)).status).toBe(413)
  })
})

describe('a connection to the console', () => {
  it('is closed if it leaves its answers unread, but not while it waits for events', async () => {
    const page = join(folder(), 'page')
    mkdirSync(page)
    writeFileSync(join(page, 'index.html'), 'x'.repeat(4 * 1024 * 1024))
    const gateway = await withConsole({ options: { console: { page } } })
    const arrived: Arrived[] = []
    const note = (message: unknown) => void arrived.push(message as Arrived) // as Node documents it
    subscribe('http.server.request.start', note)
    onTestFinished(() => void unsubscribe('http.server.request.start', note))
    const { id: _, ...credentials } = await enter(gateway)
    // Later connections have a short timeout, if any.
    for (const { server } of arrived) server.timeout /= 300
    const reader = (await fetch(`${gateway.home}/api/v1/events`, { headers: credentials })).body?.getReader()
    const { hostname, host, port } = new URL(gateway.home)
    const lazy = connect(Number(port), hostname).pause()
    onTestFinished(() => void lazy.destroy())
    lazy.write(`GET / HTTP/1.1\r\nhost: ${host}\r\n\r\n`.repeat(8))
    const itsSocket = () => arrived.find(({ socket }) => socket.remotePort === lazy.localPort)?.socket
    await until(() => itsSocket()?.destroyed === true)
    gateway.control.events.add('config', { what: 'changed' })
    expect((await reader?.read())?.done).toBe(false)
    await reader?.cancel()
  })
})

describe('the port of the console', () => {
  it('is the default or any free one, unless one is requested', async () => {
    const other = createServer().listen(defaultConsolePort, '127.0.0.1')
    onTestFinished(() => void other.close())
    // The default port may be taken already, which serves the test as well.
    await new Promise<void>((resolve) => other.once('listening', resolve).once('error', () => resolve()))
    const gateway = await withConsole({ config: { console: { host: '127.0.0.1' } } })
    expect(gateway.home).not.toBe(`http://127.0.0.1:${defaultConsolePort}`)
    await until(() =>
      gateway.log.some((line) => line.includes(`Port ${defaultConsolePort} is in use`) && line.includes(gateway.home)),
    )
    expect((await gateway.send('/')).status).toBe(200)
    await expect(started({ console: { host: '127.0.0.1', port: defaultConsolePort } })).rejects.toThrow(
      `Port ${defaultConsolePort} of 127.0.0.1 is in use. Stop the other program, or choose another port for the console with --console-port`,
    )
  })

  it.runIf(process.platform === 'linux')('listens at the local address of the config', async () => {
    const gateway = await withConsole({ config: { console: { host: '127.0.0.2', port: 0 } } })
    expect(gateway.home).toMatch(/^http:\/\/127\.0\.0\.2:\d+$/)
    expect((await gateway.send('/')).status).toBe(200)
  })

  it('is released', async () => {
    const gateway = await withConsole()
    await gateway.close({ drainMs: 0 })
    await expect(send(gateway.home, '/')).rejects.toThrow('ECONNREFUSED')
  })

  it('is closed if the console is off, and a request for a link gets an explanation', async () => {
    const gateway = await started({ console: false })
    expect([gateway.consoleUrl, gateway.loginLink()]).toEqual([undefined, undefined])
    expect((await started()).consoleUrl).toBeUndefined()
    const { status, body } = await ask(gateway, '/console/links', { body: {} })
    expect([status, body.error]).toEqual([404, expect.stringContaining('switched off')])
  })
})
