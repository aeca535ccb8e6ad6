// The gateway starts only the programs of its config, never on request over the network.
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import type { Client } from 'toolwire/client'
import { describe, expect, it } from 'vitest'
import { defaultGuard } from '../../src/config/gateway-config.js'
import { Secrets } from '../../src/config/secrets.js'
import { asked } from '../support/approval-requests.js'
import {
  ask,
  child,
  client,
  doneBy,
  folder,
  program,
  started,
  storeIn,
  until,
  upstreamConfig,
  words,
} from '../support/running-gateway.js'

const target = child(program('notes-server.mjs'))
const guard = { ...defaultGuard, approvals: false } as const

describe('a program', () => {
  it('GW-016 is not started by any request', async () => {
    const gateway = await started({ upstreams: [upstreamConfig('notes', target, { trusted: true })], guard })
    const mark = join(folder(), 'mark')
    const command = { command: process.execPath, args: ['-e', `require('fs').writeFileSync(${JSON.stringify(mark)}, '')`] }
    const tries = [
      ask(gateway, '/servers', { body: { id: 'evil', ...command } }),
      ask(gateway, '/servers/evil', { method: 'PUT', body: { target: { kind: 'child', ...command } } }),
      ask(gateway, '/servers/evil/restart', { body: command }),
      ask(gateway, '/servers/notes/restart', { body: { target: { kind: 'child', ...command } } }),
      ask(gateway, '/config', { method: 'PUT', body: { mcpServers: { evil: command } } }),
    ]
    const statuses = (await Promise.all(tries)).map(({ status }) => status)
    expect(statuses.slice(0, 3).every((status) => status >= 400)).toBe(true)
    expect(statuses[4]).toBeGreaterThanOrEqual(400)
    const one = await client(gateway.url)
    const meta = { 'dev.toolwire/target': command }
    expect(words(await one.call('notes__read', {}, { meta }))).toBe('nothing')
    await one.request('tools/call', { name: 'notes__read', arguments: {}, ...command, target: command }).catch(() => undefined)
    await new Promise((resolve) => setTimeout(resolve, 300))
    expect(existsSync(mark)).toBe(false)
    expect((await ask(gateway, '/servers')).body.servers).toMatchObject([{ id: 'notes' }])
  })

  it.each([
    ['connects', async () => undefined],
    ['lists the tools', (one: Client) => one.listTools()],
    [
      'calls a tool that is not known yet',
      (one: Client) => one.request('tools/call', { name: 'lazy__read' }).catch(() => undefined),
    ],
  ])('that is lazy is started when the first caller %s, and other calls do not wait for it', async (_, act) => {
    const upstreams = [
      upstreamConfig('notes', target, { trusted: true }),
      upstreamConfig('lazy', target, { lazy: true, trusted: true }),
      upstreamConfig('silent', child('-e', 'setInterval(() => undefined, 1e6)'), { lazy: true }),
    ]
    const gateway = await started({ upstreams, guard })
    const states = () => Object.fromEntries(gateway.control.servers().map(({ id, state }) => [id, state]))
    expect(states()).toEqual({ notes: 'ready', lazy: 'idle', silent: 'idle' })
    const one = await client(gateway.url)
    await act(one)
    expect(words(await one.call('notes__read'))).toBe('nothing')
    await until(async () => (await one.listTools({ fresh: true })).some(({ name }) => name === 'lazy__read'))
    expect(words(await one.call('lazy__read'))).toBe('nothing')
    expect(states()).toMatchObject({ lazy: 'ready', silent: 'opening' })
  })

  it('GW-016 is logged when it is started, without secrets, and so is every call to it', async () => {
    const secrets = new Secrets()
    secrets.add('hunter2-hunter2')
    const targetWithKey = { ...target, args: [...(target.kind === 'child' ? target.args : []), '--api-key', 'hunter2-hunter2'] }
    const gateway = await started({
      upstreams: [upstreamConfig('notes', targetWithKey as typeof target, { trusted: true })],
      guard,
      secrets,
    })
    const line = gateway.log.find((words) => words.startsWith('notes is started'))
    expect(line).toMatch(/^notes is started: .*node.* .*notes-server\.mjs --api-key •••$/)
    expect(gateway.log.join('\n')).not.toContain('hunter2')
    const one = await client(gateway.url)
    await one.call('notes__read')
    const calls = await doneBy<{ server: string; tool: string }>(gateway)
    expect(calls).toMatchObject([{ server: 'notes', tool: 'notes__read' }])
  })
})

it('waits for servers that start slowly as long as it is told', async () => {
  const slow = child('-e', `setTimeout(() => import(${JSON.stringify(program('notes-server.mjs'))}), 6_000)`)
  const gateway = await started({ upstreams: [upstreamConfig('notes', slow, { trusted: true })], guard }, { openMs: 60_000 })
  expect(words(await (await client(gateway.url)).call('notes__read'))).toBe('nothing')
})

it('a call that waits since an earlier run is announced with the port of this one', async () => {
  const dataDir = folder()
  const before = await storeIn(dataDir)
  await before.approvals.add(asked(), 10)
  await before.close()
  // The gateway listens only once its servers were opened, or have failed.
  const slow = upstreamConfig('slow', child('-e', 'setTimeout(() => undefined, 500)'))
  const gateway = await started({ dataDir, upstreams: [slow] })
  const announced = () => gateway.log.filter((line) => line.includes('waits for approval'))
  await expect.poll(announced).toHaveLength(1)
  expect(announced().join()).toContain(` --gateway http://127.0.0.1:${gateway.port} `)
})
