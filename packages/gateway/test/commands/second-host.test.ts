// Two hosts that each start `toolwire up --stdio`: the second is served by the gateway of the first.
import { Client } from '@modelcontextprotocol/client'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'
import { expect, it, onTestFinished } from 'vitest'
import { folder, program, shop, toolwire } from './program.js'

const config = JSON.stringify({
  mcpServers: { shop: { command: shop[1], args: shop.slice(2) } },
  toolwire: { servers: { shop: { trusted: true } } },
})

async function host(path: string, ...more: string[]) {
  const transport = new StdioClientTransport({
    command: process.execPath,
    args: [program, 'up', ...more, '--stdio', '--port', '0', '--no-console', '--data-dir', 'data'],
    cwd: path,
    env: { HOME: path, PATH: process.env.PATH ?? '' },
    stderr: 'pipe',
  })
  const said: string[] = []
  transport.stderr?.on('data', (chunk: Buffer) => said.push(String(chunk)))
  const errors: Error[] = []
  const client = new Client({ name: 'host', version: '1.0.0' })
  client.onerror = (error) => errors.push(error)
  await client.connect(transport)
  onTestFinished(() => client.close())
  return { client, errors, pid: transport.pid, said: () => said.join('') }
}

it('a second host on the same data directory is served by the first one’s gateway, and each goes when it likes', async () => {
  using files = folder({ 'mcp.json': config })
  const first = await host(files.path)
  const second = await host(files.path)
  expect(second.said()).toContain(`process ${first.pid} has the data directory`)
  const called = await Promise.all(
    [first, second].map(({ client }) => client.callTool({ name: 'shop__search', arguments: { query: 'mug' } })),
  )
  for (const { content } of called) expect(JSON.stringify(content)).toContain('mug')
  await second.client.close()
  const again = await first.client.callTool({ name: 'shop__search', arguments: { query: 'mug' } })
  expect(again.isError).not.toBe(true)
  expect([first.errors, second.errors]).toEqual([[], []])
}, 60_000)

it('the second host goes on when the first one has gone: its process is the gateway then, which a third host joins', async () => {
  using files = folder({ 'mcp.json': config })
  const first = await host(files.path)
  const second = await host(files.path)
  const search = ({ client }: typeof second) => client.callTool({ name: 'shop__search', arguments: { query: 'mug' } })
  expect(JSON.stringify(await search(second))).toContain('mug')
  await first.client.close()
  expect(JSON.stringify(await search(second))).toContain('mug')
  expect(second.said()).toContain('the one before has ended')
  const third = await host(files.path)
  expect(third.said()).toContain(`process ${second.pid} has the data directory`)
  expect(JSON.stringify(await search(third))).toContain('mug')
  expect([second.errors, third.errors]).toEqual([[], []])
}, 60_000)

it('one with another config is told to take a directory of its own', async () => {
  using files = folder({ 'mcp.json': config, 'other.json': config })
  await host(files.path)
  const other = ['up', 'other.json', '--stdio', '--port', '0', '--no-console', '--data-dir', 'data']
  const { code, stdout, stderr } = await toolwire(other, { cwd: files.path, env: { HOME: files.path, PATH: process.env.PATH } })
  expect(code).not.toBe(0)
  expect(stdout).toBe('')
  expect(stderr).toMatch(/in use by the gateway with the config .*mcp\.json.*--data-dir/s)
}, 60_000)
