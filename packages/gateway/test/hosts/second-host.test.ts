// Two hosts that both start `toolwire up --stdio`: the gateway of the first serves the second.
import { mkdirSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { Client } from '@modelcontextprotocol/client'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'
import { server, tool } from 'toolwire'
import { expect, it, onTestFinished } from 'vitest'
import { LocalSocket } from '../../src/stdio/local-socket.js'
import { lockDirectory } from '../../src/store/database/thread/directory-lock.js'
import { folder, program, shop, toolwire, until } from '../support/run-program.js'

const config = JSON.stringify({
  mcpServers: { shop: { command: shop[1], args: shop.slice(2) } },
  toolwire: { servers: { shop: { trusted: true } } },
})

/** Starts a host, which is `ready` when its gateway has tools. */
function startHost(path: string) {
  const transport = new StdioClientTransport({
    command: process.execPath,
    args: [program, 'up', '--stdio', '--port', '0', '--no-console', '--data-dir', 'data'],
    cwd: path,
    env: { HOME: path, PATH: process.env.PATH ?? '', TOOLWIRE_CONFIG: 'mcp.json' },
    stderr: 'pipe',
  })
  const stderr: string[] = []
  transport.stderr?.on('data', (chunk: Buffer) => stderr.push(String(chunk)))
  const errors: Error[] = []
  const client = new Client({ name: 'host', version: '1.0.0' })
  client.onerror = (error) => errors.push(error)
  onTestFinished(() => client.close())
  async function connect() {
    try {
      await client.connect(transport)
      // The gateway does not wait for a server that starts slowly, so the client does.
      await until(async () => (await client.listTools()).tools.length > 0, 60_000, 1_000)
    } catch (thrown) {
      throw new Error(`The host cannot use the gateway: ${stderr.join('')}`, { cause: thrown })
    }
    return { client, errors, pid: transport.pid, stderr: () => stderr.join('') }
  }
  return { ready: connect(), stderr: () => stderr.join('') }
}

const host = (path: string) => startHost(path).ready

it("a second host on the same data directory uses the first one's gateway, and each can leave at any time", async () => {
  using files = folder({ 'mcp.json': config })
  const first = await host(files.path)
  const second = await host(files.path)
  await until(() => second.stderr().includes(`process ${first.pid} uses the data directory`))
  const called = await Promise.all(
    [first, second].map(({ client }) => client.callTool({ name: 'shop__search', arguments: { query: 'mug' } })),
  )
  for (const { content } of called) expect(JSON.stringify(content)).toContain('mug')
  await second.client.close()
  const again = await first.client.callTool({ name: 'shop__search', arguments: { query: 'mug' } })
  expect(again.isError).not.toBe(true)
  expect([first.errors, second.errors]).toEqual([[], []])
})

it('the second host continues after the first has left: its process becomes the gateway, which a third host joins', async () => {
  using files = folder({ 'mcp.json': config })
  const first = await host(files.path)
  const second = await host(files.path)
  const search = ({ client }: typeof second) => client.callTool({ name: 'shop__search', arguments: { query: 'mug' } })
  expect(JSON.stringify(await search(second))).toContain('mug')
  await first.client.close()
  // A call during the shutdown gets an unknown outcome.
  await until(() => second.stderr().includes('the previous one has ended'))
  expect(JSON.stringify(await search(second))).toContain('mug')
  const third = await host(files.path)
  await until(() => third.stderr().includes(`process ${second.pid} uses the data directory`))
  expect(JSON.stringify(await search(third))).toContain('mug')
  expect([second.errors, third.errors]).toEqual([[], []])
})

it('a second host waits for a gateway that takes long to start', async () => {
  const misspelled = config.replace('"args"', '"flavour":"mug","args"')
  using files = folder({ 'mcp.json': misspelled })
  const dataDir = `${files.path}/data`
  mkdirSync(dataDir)
  const lock = lockDirectory(dataDir)
  const { ready, stderr } = startHost(files.path)
  ready.catch(() => undefined) // it is awaited below
  // The host reads the config once, waits for the socket, and then reads it again to become the gateway itself.
  await until(() => stderr().match(/flavour/g)?.length === 2)
  const search = tool({ description: 'Searches', run: () => 'mug' })
  const app = server({ name: 'gateway', version: '1.0.0', tools: { search } })
  const socket = new LocalSocket(app, { dataDir, source: `${files.path}/mcp.json`, onNote: () => undefined })
  try {
    await socket.open()
    const { client } = await ready
    expect(stderr()).toContain(`process ${process.pid} uses the data directory`)
    // All later attempts have warned only once.
    expect(stderr().match(/flavour/g)).toHaveLength(2)
    expect(JSON.stringify((await client.callTool({ name: 'search', arguments: {} })).content)).toContain('mug')
    await client.close()
  } finally {
    await socket.close()
    lock.release()
  }
})

const watched = JSON.stringify({
  mcpServers: {
    notes: { command: process.execPath, args: [fileURLToPath(new URL('../programs/watched-server.mjs', import.meta.url))] },
  },
  toolwire: { servers: { notes: { trusted: true } }, guard: { pins: false } },
})

it('subscriptions and the log level of the second host persist at the gateway that takes over', async () => {
  using files = folder({ 'mcp.json': watched })
  const first = await host(files.path)
  const second = await host(files.path)
  const received = { updates: 0, levels: [] as string[] }
  second.client.setNotificationHandler('notifications/resources/updated', () => void received.updates++)
  second.client.setNotificationHandler('notifications/message', ({ params }) => void received.levels.push(params.level))
  await second.client.setLoggingLevel('error')
  await second.client.subscribeResource({ uri: 'notes://today' })
  // The upstream receives a subscription only after the host has got its answer.
  const touched = () => {
    const before = received.updates
    return until(async () => {
      await second.client.callTool({ name: 'notes__touch', arguments: {} })
      return received.updates > before
    })
  }
  await touched()
  const { length } = received.levels
  expect(length).toBeGreaterThan(0)
  await first.client.close()
  await until(() => second.stderr().includes('the previous one has ended'))
  await touched()
  await until(() => received.levels.length > length)
  expect([...new Set(received.levels)]).toEqual(['error'])
  expect(second.errors).toEqual([])
})

it('a host with another config is told to use its own data directory', async () => {
  using files = folder({ 'mcp.json': config, 'other.json': config })
  await host(files.path)
  const other = ['up', 'other.json', '--stdio', '--port', '0', '--no-console', '--data-dir', 'data']
  const { code, stdout, stderr } = await toolwire(other, { cwd: files.path, env: { HOME: files.path, PATH: process.env.PATH } })
  expect(code).not.toBe(0)
  expect(stdout).toBe('')
  expect(stderr).toMatch(/in use by a gateway that uses the config .*mcp\.json.*--data-dir/s)
})
