// A gateway moves from its data directory to PostgreSQL without a change for people and callers.
import { connect } from 'toolwire/client'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { type PostgresServer, postgresFound, postgresServer } from '../../../../toolwire/test/postgres-server.js'
import { type RunningGateway, runningGateway } from '../../support/cli-gateway.js'
import { clean, folder, shop, toolwire } from '../../support/run-program.js'
import { words } from '../../support/upstream-fixture.js'

const files = {
  'policy.yaml': `rules:
  - name: restocking is asked about
    when: { tool: "shop__restock" }
    decision: ask
  - name: the rest
    decision: allow
`,
  'mcp.json': JSON.stringify({
    mcpServers: { shop: { command: process.execPath, args: shop.slice(2) } },
    toolwire: { guard: { rate: false }, callers: { apiKeys: true }, console: false },
  }),
}

type Asked = { approvals: { id: string }[] }

describe.skipIf(!postgresFound)('A gateway whose data directory was copied', () => {
  let server: PostgresServer
  beforeAll(async () => {
    server = await postgresServer()
  })
  afterAll(() => server.close())

  async function call({ url }: RunningGateway, key: string, tool: string) {
    const caller = await connect({ type: 'http', url: `${url}/mcp`, headers: { Authorization: `Bearer ${key}` } })
    onTestFinished(() => caller.close())
    return caller.call(tool, tool === 'shop__search' ? { query: 'mug' } : {})
  }

  it('continues with its keys, pins, grants, decisions and its log', async () => {
    const { path, [Symbol.dispose]: remove } = folder(files)
    onTestFinished(remove)
    const store = await server.database()
    const run = ({ url }: RunningGateway, ...typed: string[]) =>
      toolwire(typed, { cwd: path, env: { ...clean(path), TOOLWIRE_URL: url } })
    const before = await runningGateway(undefined, path)
    onTestFinished(async () => void (await before.stop('SIGKILL')))
    const key = (await run(before, 'keys', 'create', 'ana', '--quiet')).stdout.trim()
    expect(words(await call(before, key, 'shop__search'))).toContain('mug')
    const restocking = call(before, key, 'shop__restock')
    const waiting = async () => ((await before.api('/approvals')) as Asked).approvals[0]?.id
    await expect.poll(waiting).toBeDefined()
    expect(await run(before, 'approve', (await waiting()) ?? '', '--always', '--for', '30m')).toMatchObject({ code: 0 })
    expect(words(await restocking)).toContain('Restocked')
    const { head } = JSON.parse((await run(before, 'audit', 'verify', '--json')).stdout)
    const pins = (await run(before, 'pins')).stdout
    expect(pins).toContain('restock')
    await before.stop('SIGTERM')

    const copy = () => toolwire(['store', 'copy', '--to', store, '--data-dir', 'data'], { cwd: path, env: clean(path) })
    const copied = await copy()
    expect(copied).toMatchObject({ code: 0, stderr: expect.stringContaining('Keys were not copied') })
    expect(copied.stdout).toMatch(/^COPIED +SOURCE +TARGET\naudit records +(\d+) +\1\n/)
    expect(await copy()).toMatchObject({ code: 1, stderr: expect.stringContaining('has a store already') })

    const after = await runningGateway(undefined, path, { TOOLWIRE_STORE: store })
    onTestFinished(async () => void (await after.stop('SIGKILL')))
    expect(words(await call(after, key, 'shop__search'))).toContain('mug')
    expect(words(await call(after, key, 'shop__restock'))).toContain('Restocked')
    expect((await run(after, 'pins')).stdout).toBe(pins)
    expect(await run(after, 'audit', 'verify', '--head', `${head.sequence}:${head.hash}`)).toMatchObject({ code: 0 })
    expect((await run(after, 'audit', 'search', '--json')).stdout.match(/shop__search|"search"/g)?.length).toBeGreaterThan(1)
    await after.stop('SIGTERM')

    const back = ['store', 'copy', '--from', 'postgres', '--data-dir', 'alone']
    const env = { ...clean(path), DATABASE_URL: store }
    expect(await toolwire(back, { cwd: path, env })).toMatchObject({ code: 1, stderr: expect.stringContaining('vault.key') })
    const both = ['store', 'copy', '--to', 'postgres', '--from', 'postgres']
    expect(await toolwire(both, { cwd: path, env })).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('Name one database'),
    })
  })
})
