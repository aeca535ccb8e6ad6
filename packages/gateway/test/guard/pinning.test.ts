// New and changed tools, and their state until a person has reviewed them.
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { defaultGuard } from '../../src/config/gateway-config.js'
import {
  ask,
  client,
  eventually,
  folder,
  moody,
  program,
  started,
  storeIn,
  until,
  upstreamConfig,
  words,
} from '../support/running-gateway.js'

const notes = (...args: string[]) => upstreamConfig('notes', moody(program('notes-server.mjs'), ...args), { trusted: true })
const names = (tools: readonly { name: string }[]) => tools.map(({ name }) => name).sort()

type Waiting = { readonly tool: string; readonly hash: string; readonly before?: object }

describe('definitions of tools', () => {
  it('are accepted with the first list of a configured server; a change is hidden until it is accepted', async () => {
    const dataDir = join(folder(), 'data')
    const first = await started({ upstreams: [notes()], dataDir }, { store: await storeIn(dataDir) })
    await until(() => first.control.tools().length === 4)
    expect(names(await (await client(first.url)).listTools())).toEqual([
      'notes__pid',
      'notes__read',
      'notes__slow',
      'notes__write',
    ])
    await first.close()

    const gateway = await started({ upstreams: [notes('changed')], dataDir }, { store: await storeIn(dataDir) })
    const one = await client(gateway.url)
    const changes: string[] = []
    one.onChange(({ kind }) => changes.push(kind))
    expect(names(await one.listTools())).toEqual(['notes__pid', 'notes__read', 'notes__slow'])
    await expect(one.request('tools/call', { name: 'notes__fresh', arguments: {} })).resolves.toMatchObject({ isError: true })
    const { waiting } = (await ask(gateway, '/pins')).body as { waiting: Waiting[] }
    expect(waiting.map(({ tool, before }) => [tool, before !== undefined]).sort()).toEqual([
      ['notes__fresh', false],
      ['notes__write', true],
    ])
    const fresh = waiting.find(({ tool }) => tool === 'notes__fresh')
    const wrong = await ask(gateway, '/pins/accept', { body: { server: 'notes', tool: 'notes__fresh', hash: 'sha256:0' } })
    expect(wrong.status).toBe(409)
    await ask(gateway, '/pins/accept', { body: { server: 'notes', tool: 'notes__fresh', hash: fresh?.hash } })
    await eventually(() => changes.includes('tools'))
    expect(words(await one.call('notes__fresh'))).toBe('fresh')
    expect(names(await one.listTools())).not.toContain('notes__write')
    const { calls } = (await ask(gateway, '/audit?tool=toolwire/accept-pin')).body as { calls: { caller: string }[] }
    expect(calls.map(({ caller }) => caller)).toEqual(['operator'])
  })

  it('UX-002 are shown with the server they come from, those that wait as well', async () => {
    const gateway = await started({ upstreams: [notes()] })
    const { tools } = (await ask(gateway, '/tools?server=notes')).body as { tools: object[] }
    expect(tools).toHaveLength(4)
    expect(tools[0]).toMatchObject({ name: 'notes__pid', server: 'notes', waiting: false, hints: { readOnly: true } })
  })

  it('wait even for a new server, if pins are strict, until each is accepted', async () => {
    const gateway = await started({ upstreams: [notes()], guard: { ...defaultGuard, pins: 'strict' } })
    const one = await client(gateway.url)
    expect(await one.listTools()).toEqual([])
    expect((await one.request('tools/call', { name: 'notes__read', arguments: {} })).isError).toBe(true)
    const { waiting } = (await ask(gateway, '/pins')).body as { waiting: Waiting[] }
    expect(waiting).toHaveLength(4)
    const hash = waiting.find(({ tool }) => tool === 'notes__read')?.hash
    await ask(gateway, '/pins/accept', { body: { server: 'notes', tool: 'notes__read', hash } })
    expect(names(await one.listTools({ fresh: true }))).toEqual(['notes__read'])
    expect(words(await one.call('notes__read'))).toBe('nothing')
  })

  it('are shown and wait, even if a list is requested while they are registered', async () => {
    const gateway = await started({ guard: { ...defaultGuard, pins: 'strict' } })
    gateway.server.tools.onRegister(() => void gateway.control.tools())
    await gateway.change({ ...gateway.config, upstreams: [notes()] })
    await until(() => gateway.server.tools.names.length === 4)
    expect(gateway.control.tools()).toHaveLength(4)
    const waiting = async () => ((await ask(gateway, '/pins')).body as { waiting: Waiting[] }).waiting
    await until(async () => (await waiting()).length > 0)
    expect(await waiting()).toHaveLength(4)
  })

  it('are offered without review if the operator configures that', async () => {
    const dataDir = join(folder(), 'data')
    const first = await started({ upstreams: [notes()], dataDir }, { store: await storeIn(dataDir) })
    await first.close()
    const guard = { ...first.config.guard, pins: false }
    const gateway = await started({ upstreams: [notes('changed')], dataDir, guard }, { store: await storeIn(dataDir) })
    expect(words(await (await client(gateway.url)).call('notes__fresh'))).toBe('fresh')
  })
})
