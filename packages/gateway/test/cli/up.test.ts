// `toolwire up` for a person at a terminal, and for a host that starts its servers.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, readdirSync, realpathSync, writeFileSync } from 'node:fs'
import { Client } from '@modelcontextprotocol/client'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'
import { expect, it } from 'vitest'
import { inTerminal, keys } from '../support/pseudo-terminal.js'
import { clean, folder, program, shop, toolwire, until } from '../support/run-program.js'

const config = JSON.stringify({ mcpServers: { shop: { command: shop[1], args: shop.slice(2) } } })

it('prints its address and the next steps, logs for people, and exits cleanly after Ctrl-C', async () => {
  using files = folder({ 'mcp.json': config })
  const screen = inTerminal(['up', 'mcp.json', '--port', '0', '--data-dir', 'data'], { cwd: files.path, env: clean(files.path) })
  await screen.shows(/Toolwire listens at http:\/\/127\.0\.0\.1:\d+\/mcp/)
  await screen.shows('Servers: shop')
  await screen.shows(/toolwire\.js list --gateway http:\/\/127\.0\.0\.1:\d+/)
  await until(() => /\d\d:\d\d:\d\d info +shop is ready/.test(screen.text))
  screen.type(keys.interrupt)
  expect(await screen.ended).toBe(0)
  expect(readdirSync(`${files.path}/data`)).toContain('toolwire.db')
})

it('continues without stderr', async () => {
  using files = folder({ 'mcp.json': config })
  const words = [program, 'up', 'mcp.json', '--port', '0', '--data-dir', 'data', '--json', '--log-level', 'debug']
  const child = spawn(process.execPath, words, { cwd: files.path, env: clean(files.path) })
  const ended = once(child, 'exit')
  child.stderr.destroy()
  const [line] = await once(child.stdout.setEncoding('utf8'), 'data')
  const { url } = JSON.parse(line)
  expect((await fetch(new URL('/health', url))).status).toBe(200)
  child.kill('SIGTERM')
  expect(await ended).toEqual([0, null])
  expect(readdirSync(`${files.path}/data`).filter((name) => /\.(pid|sock)$/.test(name))).toEqual([])
})

it('shuts down when stdout is closed', async () => {
  using files = folder({ 'mcp.json': config })
  const words = [program, 'up', 'mcp.json', '--port', '0', '--data-dir', 'data', '--json']
  const child = spawn(process.execPath, words, { cwd: files.path, env: clean(files.path), stdio: ['ignore', 'pipe', 'ignore'] })
  child.stdout.destroy()
  expect(await once(child, 'exit')).toEqual([0, null])
  const left = readdirSync(`${files.path}/data`)
  expect(left).toContain('toolwire.db')
  expect(left.filter((name) => /\.(pid|sock)$/.test(name))).toEqual([])
})

it('without a config serves the examples, which a second terminal calls', async () => {
  using files = folder()
  const env = clean(files.path)
  const screen = inTerminal(['up', '--port', '0', '--data-dir', 'data'], { cwd: files.path, env })
  const shown = await screen.shows(/listens at http:\/\/127\.0\.0\.1:\d+\/mcp[\s\S]*these are examples/)
  await until(() => screen.text.includes('shop is ready'))
  const { 1: url } = /listens at (http:\/\/127\.0\.0\.1:\d+)/.exec(shown) ?? []
  const call = await toolwire(['call', 'shop__search', 'query=mug', '--gateway', url ?? ''], { env })
  expect([call.code, JSON.parse(call.stdout).hits[0].id]).toEqual([0, 'mug'])
  expect((await toolwire(['audit', 'verify', '--gateway', url ?? ''], { env })).stdout).toMatch(/The log is intact: \d+ records/)
  screen.type(keys.interrupt)
  expect(await screen.ended).toBe(0)
})

it('accepts a config by --config or as its operand: from anywhere, with paths relative to its folder', async () => {
  using files = folder({ 'policy.yaml': 'rules: []\ndefault: deny\n' })
  mkdirSync(`${files.path}/elsewhere`)
  const entry = { command: shop[1], args: shop.slice(2) }
  writeFileSync(`${files.path}/my.json`, JSON.stringify({ mcpServers: { shop: entry }, toolwire: { policy: 'policy.yaml' } }))
  const cwd = `${files.path}/elsewhere`
  const screen = inTerminal(['up', '--config', '../my.json', '--port', '0', '--data-dir', 'data'], {
    cwd,
    env: clean(files.path),
  })
  await screen.shows(`Config: ${realpathSync(files.path)}/my.json`)
  screen.type(keys.interrupt)
  expect(await screen.ended).toBe(0)
  expect(readdirSync(cwd)).toContain('data')
})

it('refuses a missing config, or two of them, and names them', async () => {
  using files = folder()
  const run = (...words: string[]) => toolwire(['up', ...words], { cwd: files.path, env: clean(files.path) })
  const missing = await run('--config', 'nope.json')
  expect(missing).toMatchObject({ code: 2, stderr: expect.stringMatching(/nope\.json: .*there is no such file/) })
  expect(await run('a.json', '--config', 'b.json')).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('a.json and b.json'),
  })
})

it('serves a host over stdio, with only messages on stdout', async () => {
  using files = folder({ 'mcp.json': config })
  const args = [program, 'up', 'mcp.json', '--stdio', '--port', '0', '--data-dir', 'data']
  const environment = { HOME: files.path, PATH: process.env.PATH ?? '' }
  const transport = new StdioClientTransport({
    command: process.execPath,
    args,
    cwd: files.path,
    env: environment,
    stderr: 'ignore',
  })
  const errors: Error[] = []
  const client = new Client({ name: 'host', version: '1.0.0' })
  client.onerror = (error) => errors.push(error)
  await client.connect(transport)
  await until(async () => (await client.listTools()).tools.some(({ name }) => name === 'shop__search'), 60_000, 1_000)
  await client.close()
  expect(errors).toEqual([])
})
