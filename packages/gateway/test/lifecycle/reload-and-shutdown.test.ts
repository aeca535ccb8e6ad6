// A running gateway: config changes, a failing disk, and shutdown.

import { once } from 'node:events'
import { readFileSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { PassThrough } from 'node:stream'
import { connect } from 'toolwire/client'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { defaultGuard } from '../../src/config/gateway-config.js'
import { runGateway } from '../../src/lifecycle/start-gateway.js'
import { openDatabase } from '../support/open-database.js'
import {
  ask,
  child,
  client,
  eventually,
  folder,
  http,
  openMs,
  program,
  started,
  storeIn,
  until,
  upstreamConfig,
  words,
} from '../support/running-gateway.js'

const notes = (id = 'notes', ...args: string[]) =>
  upstreamConfig(id, child(program('notes-server.mjs'), ...args), { trusted: true })
const open = { ...defaultGuard, approvals: false, rate: false } as const

/** A store whose pins cannot be read at times. */
async function failingStore(dataDir: string) {
  const store = await storeIn(dataDir)
  let isFailing = false
  const list = store.pins.list.bind(store.pins)
  store.pins.list = async () => {
    if (isFailing) throw new Error('The pins cannot be read')
    return list()
  }
  const fail = (now: boolean) => {
    isFailing = now
  }
  return { store, fail }
}

describe('a changed config', () => {
  it('that could not be applied does not widen a set at the restart of a server', async () => {
    const dataDir = join(folder(), 'data')
    const { store, fail } = await failingStore(dataDir)
    const guard = { ...open, pins: false } as const
    const gateway = await started({ upstreams: [notes()], guard, dataDir, sets: { a: ['notes__read'] } }, { store })
    fail(true)
    const next = { ...gateway.config, guard: { ...guard, pins: true }, sets: { a: ['*'] } }
    await expect(gateway.change(next)).rejects.toThrow('The pins cannot be read')
    await gateway.control.restart('notes')
    const set = await client(`http://127.0.0.1:${gateway.port}/mcp/a`)
    expect((await set.listTools()).map(({ name }) => name)).toEqual(['notes__read'])
  })

  it('restarts only the changed upstreams, and clients are notified about the tools', async () => {
    const log: string[] = []
    const onLog = ({ message }: { message: string }) => void log.push(message)
    const gateway = await started({ upstreams: [notes('one'), notes('two')], guard: open }, { onLog })
    const caller = await client(gateway.url)
    const pids = async () => [words(await caller.call('one__pid')), words(await caller.call('two__pid'))]
    const before = await pids()
    await gateway.change({ ...gateway.config, upstreams: [notes('one'), notes('two', 'same')], sets: { a: ['one__*'] } })
    const after = await pids()
    expect(after[0]).toBe(before[0])
    expect(after[1]).not.toBe(before[1])
    const set = await client(`http://127.0.0.1:${gateway.port}/mcp/a`)
    expect((await set.listTools()).every(({ name }) => name.startsWith('one__'))).toBe(true)
    const three = { ...notes('three'), lazy: true }
    await gateway.change({ ...gateway.config, upstreams: [notes('one'), three], sets: {} })
    expect(log.filter((line) => line.startsWith('The config has changed'))).toEqual([
      'The config has changed (/nowhere/mcp.json). Servers restarted: two',
      'The config has changed (/nowhere/mcp.json). Servers added: three; removed: two',
    ])
    expect((await caller.listTools({ fresh: true })).map(({ name }) => name)).not.toContain('two__pid')
    expect((await fetch(`http://127.0.0.1:${gateway.port}/mcp/a`)).status).toBe(404)
  })

  it('is read from the file, and the last valid one stays', async () => {
    const directory = folder()
    const file = join(directory, 'mcp.json')
    const entry = { command: process.execPath, args: [program('notes-server.mjs')] }
    const toolwire = { port: 0, dataDir: join(directory, 'data'), guard: { approvals: false } }
    const write = (mcpServers: object) => writeFileSync(file, JSON.stringify({ mcpServers, toolwire }))
    write({ one: entry })
    const store = await storeIn(join(directory, 'data'))
    const gateway = await runGateway({ path: file, env: {}, cwd: directory, home: directory }, { store, env: {}, openMs })
    onTestFinished(() => gateway.close({ drainMs: 0 }))
    const caller = await client(gateway.url)
    expect(words(await caller.call('one__read'))).toBe('nothing')
    write({ one: entry, two: entry })
    await eventually(() => gateway.health().upstreams.two === 'ready')
    writeFileSync(file, '{')
    await eventually(() => gateway.health().troubles.some((words) => words.startsWith('config')))
    expect(words(await caller.call('one__read'))).toBe('nothing')
    write({ one: entry })
    await eventually(() => gateway.health().upstreams.two === undefined && gateway.health().status === 'ok')
  })

  it('that could not be applied is applied with the next one', async () => {
    const dataDir = join(folder(), 'data')
    const { store, fail } = await failingStore(dataDir)
    const gateway = await started({ upstreams: [notes('one')], guard: { ...open, pins: false }, dataDir }, { store })
    fail(true)
    const strict = { ...open, pins: 'strict' } as const
    const next = { ...gateway.config, guard: strict, upstreams: [notes('one'), notes('two')], sets: { a: ['one__*'] } }
    await expect(gateway.change(next)).rejects.toThrow('The pins cannot be read')
    fail(false)
    await gateway.change({ ...next, logLevel: 'debug' })
    expect(gateway.health().upstreams).toEqual({ one: 'ready', two: 'ready' })
    expect(await (await client(`${gateway.url}/a`)).listTools()).toEqual([])
  })

  it('that could not be applied is retried until it is, and the trouble ends', async () => {
    const directory = folder()
    const file = join(directory, 'mcp.json')
    const dataDir = join(directory, 'data')
    const entry = { command: process.execPath, args: [program('notes-server.mjs')] }
    const write = (mcpServers: object, pins: unknown) =>
      writeFileSync(
        file,
        JSON.stringify({ mcpServers, toolwire: { port: 0, dataDir, console: false, guard: { approvals: false, pins } } }),
      )
    write({ one: entry }, false)
    const { store, fail } = await failingStore(dataDir)
    const gateway = await runGateway({ path: file, env: {}, cwd: directory, home: directory }, { store, env: {}, openMs })
    onTestFinished(() => gateway.close({ drainMs: 0 }))
    fail(true)
    write({ one: entry, two: entry }, 'strict')
    const hasTrouble = (text: string) => () => gateway.health().troubles.some((words) => words.includes(text))
    await until(hasTrouble('The pins cannot be read'))
    // A file that was incomplete meanwhile, and is the same again, changes nothing.
    writeFileSync(file, '{')
    await until(hasTrouble('mcp.json'))
    write({ one: entry, two: entry }, 'strict')
    await until(hasTrouble('The pins cannot be read'))
    fail(false)
    await until(
      () => gateway.health().upstreams.two === 'ready' && !gateway.health().troubles.some((words) => words.startsWith('config')),
    )
  })

  it('is not needed for a start: a gateway without servers serves the example shop', async () => {
    const gateway = await started({ source: undefined, upstreams: [] })
    const { tools } = (await ask(gateway, '/tools')).body as { tools: { name: string }[] }
    expect(tools.map(({ name }) => name)).toContain('shop__search')
  })
})

describe('health', () => {
  const health = async ({ port }: { port: number }) => {
    const response = await fetch(`http://127.0.0.1:${port}/health`)
    return [response.status, ((await response.json()) as { status: string }).status]
  }

  it('is bad while the log cannot be written, no call runs meanwhile, and it recovers', async () => {
    const directory = folder()
    const file = join(directory, 'notes')
    writeFileSync(file, '')
    const upstream = { ...notes(), target: { ...notes().target, env: { NOTES_FILE: file } } } as ReturnType<typeof notes>
    const gateway = await started({ upstreams: [upstream], guard: open, dataDir: join(directory, 'data') })
    const one = await client(gateway.url)
    await one.listTools()
    expect(await health(gateway)).toEqual([200, 'ok'])
    // Another writer blocks the database.
    const other = openDatabase(join(directory, 'data'))
    onTestFinished(() => void other.close())
    other.exec('PRAGMA busy_timeout = 10000')
    other.exec('BEGIN IMMEDIATE')
    const refused = await one.call('notes__write', { text: 'unrecorded' })
    expect([refused.isError, words(refused)]).toEqual([true, expect.stringContaining('recorded')])
    await until(async () => (await health(gateway))[0] === 503)
    expect(readFileSync(file, 'utf8')).toBe('')
    other.exec('ROLLBACK')
    await until(async () => (await health(gateway))[0] === 200)
    expect(words(await one.call('notes__write', { text: 'recorded' }))).toBe('written: recorded')
    expect((await ask(gateway, '/audit/verify')).body).toMatchObject({ ok: true })
  })

  it('GW-012 names a lost upstream, while another one works', async () => {
    const lost = upstreamConfig('lost', http('http://127.0.0.1:9/mcp'))
    const gateway = await started({ upstreams: [notes(), lost], guard: open })
    await vi.waitFor(() => expect(gateway.health().troubles).toEqual([expect.stringContaining('lost')]), 60_000)
    expect(await health(gateway)).toEqual([200, 'degraded'])
    expect(words(await (await client(gateway.url)).call('notes__read'))).toBe('nothing')
  })

  it('is degraded while a lost server is tried again', async () => {
    let isSilent = false
    const lost = createServer((_, response) => {
      if (!isSilent) response.writeHead(500).end()
    }).listen(0, '127.0.0.1')
    onTestFinished(() => void lost.close().closeAllConnections())
    await once(lost, 'listening')
    const { port } = lost.address() as AddressInfo // it listens on TCP
    const gateway = await started({ upstreams: [upstreamConfig('lost', http(`http://127.0.0.1:${port}/mcp`))], guard: open })
    const state = () => gateway.health().upstreams.lost
    await expect.poll(state, { interval: 5 }).toBe('failing')
    isSilent = true
    await expect.poll(state).toBe('opening')
    expect(gateway.health()).toMatchObject({ status: 'degraded', troubles: [expect.stringContaining('server lost: ')] })
  })
})

describe('the shutdown', () => {
  it('waits for accepted calls, refuses others, and closes the store last', async () => {
    const gateway = await started({ upstreams: [notes()], guard: open })
    const one = await client(gateway.url)
    // This connection exists already, so it is not refused as a new one.
    const other = await connect(gateway.server)
    await other.listTools()
    const slow = one.call('notes__slow', { ms: 1_000 })
    await eventually(() => gateway.control.underWay() === 1)
    const closed = gateway.close()
    const late = await other.call('notes__read')
    expect([late.isError, words(late)]).toEqual([true, expect.stringContaining('is being stopped')])
    expect(words(await slow)).toBe('done')
    await closed
    await expect(fetch(gateway.url)).rejects.toThrow()
    await expect(gateway.control.store.approvals.pending()).rejects.toThrow()
  })

  it('follows the end of the host that started the gateway, which is served over stdio until then', async () => {
    const [readable, writable] = [new PassThrough(), new PassThrough()]
    const gateway = await started({ upstreams: [notes()], guard: open }, { stdio: { readable, writable } })
    const lines: string[] = []
    writable.on('data', (chunk: Buffer) => lines.push(...chunk.toString().split('\n').filter(Boolean)))
    const meta = {
      'io.modelcontextprotocol/protocolVersion': '2026-07-28',
      'io.modelcontextprotocol/clientInfo': { name: 'host', version: '1' },
      'io.modelcontextprotocol/clientCapabilities': {},
    }
    readable.write(
      `${JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'notes__read', arguments: {}, _meta: meta } })}\n`,
    )
    await eventually(() => lines.some((line) => line.includes('nothing')))
    readable.end()
    await gateway.ended
  })
})

describe('gateways that are upstreams of each other', () => {
  it('relay a call at most five times', async () => {
    const gateway = await started({ upstreams: [notes()], guard: open })
    const hops = (n: number) => ({ meta: { 'dev.toolwire/hops': n } })
    const one = await client(gateway.url)
    expect(words(await one.call('notes__read', {}, hops(4)))).toBe('nothing')
    const round = await one.call('notes__read', {}, hops(5))
    expect([round.isError, words(round)]).toEqual([true, expect.stringContaining('lead to each other')])
    const first = await started({ upstreams: [upstreamConfig('next', http(gateway.url), { trusted: true })], guard: open })
    const other = await client(first.url)
    expect(words(await other.call('next__notes__read', {}, hops(3)))).toBe('nothing')
    expect((await other.call('next__notes__read', {}, hops(4))).isError).toBe(true)
  })
})
