// Mistakes of an operator: two gateways on one data directory, unusable config files, and gateways that form a loop.
import { rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { eachNth } from '../../../toolwire/test/soak.js'
import { loadConfig } from '../../src/config/load-config.js'
import { type Gateway, runGateway } from '../../src/lifecycle/start-gateway.js'
import { ask, client, folder, http, openMs, started, storeIn, upstreamConfig, words } from '../support/running-gateway.js'
import { NotStarted, programFolder, startProgram } from './built-program.js'
import { childPeer, HttpPeer } from './peer.js'
import { beside, good, open } from './start-with-bad-server.js'
import { until } from './waiting.js'

describe('row 22: a second gateway on the same data directory', () => {
  it('does not start, names the first one, and leaves it running', async () => {
    const at = programFolder()
    const servers = { good: childPeer('none', 'per-request').target }
    // Both gateways use the same config, because the first one follows the file that the second one writes.
    const settings = { guard: { rate: false, lists: false } }
    const first = await startProgram({ servers, folder: at, settings })
    await beside(first.url, async () => {
      const second = await startProgram({ servers, folder: at, settings }).catch((thrown: unknown) => thrown)
      expect(second).toBeInstanceOf(NotStarted)
      expect(String(second)).toContain(`in use by process ${first.process.pid}`)
    })
    expect(await first.stop('SIGKILL')).toBe('SIGKILL')
    // The operating system releases the lock with the process, even after a kill.
    const third = await startProgram({ servers, folder: at, settings })
    await beside(third.url, () => undefined)
  })
})

describe('row 23: a config file', () => {
  const entryOf = ({ target }: ReturnType<typeof good>) =>
    target.kind === 'child' ? { command: target.command, args: target.args } : {}

  async function followed(): Promise<{ gateway: Gateway; file: string; whole: string }> {
    const directory = folder()
    const file = join(directory, 'mcp.json')
    const toolwire = { port: 0, console: false, dataDir: join(directory, 'data'), guard: { rate: false, lists: false } }
    const whole = JSON.stringify({
      mcpServers: { good: entryOf(good()) },
      toolwire: { ...toolwire, servers: { good: { trusted: true } } },
    })
    writeFileSync(file, whole)
    const store = await storeIn(join(directory, 'data'))
    const gateway = await runGateway({ path: file, env: {}, cwd: directory, home: directory }, { store, env: {}, openMs })
    onTestFinished(() => gateway.close({ drainMs: 0 }))
    return { gateway, file, whole }
  }

  const alarm = (gateway: Gateway) => gateway.health().troubles.find((trouble) => trouble.startsWith('config'))

  const spoilt: [string, (file: string, whole: string) => void][] = [
    ['half written', (file: string, whole: string) => writeFileSync(file, whole.slice(0, whole.length / 2))],
    ['deleted', (file: string) => rmSync(file)],
    ['empty', (file: string) => writeFileSync(file, '')],
    ['wrong', (file: string) => writeFileSync(file, '{"mcpServers":{"good":{"command":7}}}')],
    ['with an unknown setting', (file: string) => writeFileSync(file, '{"mcpServers":{},"toolwire":{"gaurd":{}}}')],
  ]

  it.each(
    eachNth(spoilt, 2),
  )('that is %s: the previous config stays in force, health reports it, and the next valid file is applied', async (_, spoil) => {
    const { gateway, file, whole } = await followed()
    await beside(gateway.url, async () => {
      spoil(file, whole)
      await until(() => alarm(gateway) !== undefined)
    })
    await beside(gateway.url, () => undefined)
    expect(alarm(gateway)).toContain('the previous config stays in force')
    expect(gateway.health().status).toBe('degraded')
    const { status, body } = await ask(gateway, '/status')
    expect([status, JSON.stringify(body)]).toEqual([200, expect.stringContaining('config')])
    writeFileSync(file, whole)
    await until(() => alarm(gateway) === undefined && gateway.health().status === 'ok')
  })
})

describe('row 26: gateways that are upstreams of each other', () => {
  it.each([
    'http://127.0.0.1:4180/mcp',
    'http://localhost:4180/mcp',
    'http://[::1]:4180/mcp',
    'http://0.0.0.0:4180/mcp/a',
  ])('its own address %s is no upstream', async (url) => {
    const directory = folder()
    writeFileSync(join(directory, 'mcp.json'), JSON.stringify({ mcpServers: { me: { type: 'http', url } } }))
    const where = { path: join(directory, 'mcp.json'), env: {}, cwd: directory, home: directory }
    await expect(loadConfig(where)).rejects.toThrow(/itself|own/)
    await expect(runGateway(where, { env: {} })).rejects.toThrow(/itself|own/)
  })

  it('two gateways that have each other as upstream offer their own tools, but no tool that came back', async () => {
    const same = good()
    const [one, two] = [await started({ guard: open, upstreams: [same] }), await started({ guard: open, upstreams: [] })]
    const [toTwo, toOne] = [
      upstreamConfig('two', http(two.url), { trusted: true }),
      upstreamConfig('one', http(one.url), { trusted: true }),
    ]
    await two.change({ ...two.config, upstreams: [toOne, upstreamConfig('own', childPeer('none', 'per-request').target)] })
    await one.change({ ...one.config, upstreams: [same, toTwo] })
    const names = ({ server }: Gateway) => [...server.tools.names].filter((name) => name.endsWith('pid'))
    const all = () => [names(one), names(two)]
    const expected = [
      ['good__pid', 'two__own__pid'],
      ['one__good__pid', 'own__pid'],
    ]
    await until(() => JSON.stringify(all()) === JSON.stringify(expected))
    // A change passes through the loop once and then stops.
    await two.change({ ...two.config, upstreams: [toOne, upstreamConfig('other', childPeer('none', 'per-request').target)] })
    await until(() => names(one).includes('two__other__pid') && !names(one).includes('two__own__pid'))
    await beside(one.url, () => undefined)
    expect(all()).toEqual([
      ['good__pid', 'two__other__pid'],
      ['one__good__pid', 'other__pid'],
    ])
    const caller = await client(two.url)
    expect(words(await caller.call('one__good__sum', { a: 1, b: 2 }))).toBe('3')
  })

  it('a call that returns through another server ends at the fifth hop', async () => {
    const peer = await HttpPeer.start()
    onTestFinished(() => peer.kill())
    const { target, notes } = peer.plays('round', 'per-request')
    const gateway = await started({ guard: open, upstreams: [upstreamConfig('loop', target), good()] })
    const caller = await client(gateway.url)
    const outcome = await beside(gateway.url, () => caller.call('loop__bad', { back: gateway.url }))
    expect(words(outcome)).toContain('lead to each other')
    expect(notes().filter((word) => word.startsWith('hop '))).toEqual(['hop 1', 'hop 2', 'hop 3', 'hop 4', 'hop 5'])
  })
})
