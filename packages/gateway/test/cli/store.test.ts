// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the text contains a variable of a config
// Real gateways with one config and one PostgreSQL, and the commands for them.
import { type ChildProcess, spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { pgBouncer, pgBouncerFound } from '../../../toolwire/test/pg-bouncer.js'
import { type PostgresServer, postgresFound, postgresServer } from '../../../toolwire/test/postgres-server.js'
import { newSigningKey } from '../../src/store/audit/signed-head.js'
import { inDatabase } from '../support/postgres-stores.js'
import { clean, folder, program, toolwire } from '../support/run-program.js'

const keys = { TOOLWIRE_VAULT_KEY: randomBytes(32).toString('hex'), TOOLWIRE_AUDIT_KEY: newSigningKey() }

describe.skipIf(!postgresFound)('a store in PostgreSQL', () => {
  let server: PostgresServer
  beforeAll(async () => {
    server = await postgresServer()
  })
  afterAll(() => server.close())

  /** A folder with a config that names the store. */
  function place(settings: object, more: Record<string, string> = {}) {
    const files = folder({ 'mcp.json': JSON.stringify({ mcpServers: {}, toolwire: { ...settings } }) })
    onTestFinished(() => files[Symbol.dispose]())
    const env = {
      ...clean(files.path),
      TOOLWIRE_URL: undefined,
      TOOLWIRE_PORT: '9',
      TOOLWIRE_CONFIG: 'mcp.json',
      ...keys,
      ...more,
    }
    return { path: files.path, env, run: (...words: string[]) => toolwire(words, { env, cwd: files.path }) }
  }

  async function gateway({ path, env }: ReturnType<typeof place>, dataDir: string) {
    const words = ['up', '--json', '--port', '0', '--no-console', '--data-dir', dataDir]
    const child: ChildProcess = spawn(process.execPath, [program, ...words], {
      cwd: path,
      env,
      stdio: ['ignore', 'pipe', 'ignore'],
    })
    const ended = once(child, 'exit')
    onTestFinished(async () => {
      child.kill('SIGKILL')
      await ended
    })
    const [line] = await once(createInterface(child.stdout ?? process.stdin), 'line')
    const url = new URL(JSON.parse(String(line)).url).origin
    const token = () => readFileSync(join(path, dataDir, 'management.token'), 'utf8').split('\n')[0] ?? ''
    const ask = (at: string, init: RequestInit = {}) =>
      fetch(`${url}/api/v1${at}`, {
        ...init,
        headers: { authorization: `Bearer ${token()}`, 'content-type': 'application/json' },
      })
    return { url, child, ended, ask }
  }

  it('is shared by gateways of one config: keys and replicas of one appear at the other', async () => {
    const at = place({ callers: { loopback: false, apiKeys: true } }, { TOOLWIRE_STORE: await server.database() })
    const [one, two] = [await gateway(at, 'one'), await gateway(at, 'two')]
    const replicas = async () => JSON.parse((await at.run('replicas', '--json')).stdout).replicas
    expect(await replicas()).toHaveLength(2)
    expect((await at.run('replicas')).stdout).toMatch(
      /^ID +MACHINE +VERSION +UP +SEEN +CONFIG +ADDRESS\n(\w{8} .* file .*\n){2}$/,
    )
    const apiKey = (await (
      await one.ask('/keys', { method: 'POST', body: '{"caller":"ops","scopes":["toolwire:admin"]}' })
    ).json()) as {
      id: string
      key: string
    }
    const status = async () =>
      (await fetch(`${two.url}/api/v1/keys`, { headers: { authorization: `Bearer ${apiKey.key}` } })).status
    await expect.poll(status).toBe(200)
    expect((await one.ask(`/keys/${apiKey.id}`, { method: 'DELETE' })).status).toBe(200)
    await expect.poll(status).toBe(401)
    one.child.kill('SIGKILL')
    await one.ended
    await expect.poll(replicas).toHaveLength(1)
    two.child.kill('SIGTERM')
    await two.ended
    expect(await replicas()).toEqual([])
    expect((await at.run('replicas')).stderr).toContain('No gateway uses the store now')
  })

  it('is inspected, migrated and verified by commands', async () => {
    const store = (await server.database()).replace('toolwire@', 'toolwire:a-secret-password@')
    const at = place({ store: '${STORE}' }, { STORE: store })
    expect((await at.run('store', 'status')).stdout).toMatch(
      /^PostgreSQL \d.* at postgres:\/\/toolwire:•••@[\s\S]*Tables \(store\): none yet/,
    )
    expect((await at.run('doctor', '--offline')).stdout).toMatch(
      /fine +store: PostgreSQL \d.* the first gateway creates its tables/,
    )
    expect(await at.run('store', 'migrate')).toMatchObject({ code: 0, stderr: expect.stringContaining('Migrated postgres://') })
    expect((await at.run('store', 'migrate')).stderr).toContain('Nothing to do: store version 2, audit version 2')
    const { stdout, code } = await at.run('store', 'status', '--json')
    expect([code, JSON.parse(stdout)]).toMatchObject([
      0,
      {
        kind: 'postgres',
        tables: [
          { part: 'store', version: 2, known: 2 },
          { part: 'audit', version: 2, known: 2 },
        ],
        pooler: 'none seen',
      },
    ])
    // Without this line, the output could mean a log in the folder.
    const verified = await at.run('audit', 'verify', '--data-dir', 'data')
    // A log without records proves nothing.
    expect(verified).toMatchObject({ code: 1, stdout: expect.stringContaining('Verified: postgres://toolwire:•••@') })
    for (const words of [['store', 'status'], ['doctor', '--offline'], ['replicas']])
      expect(JSON.stringify(await at.run(...words))).not.toContain('a-secret-password')
  })

  it('is refused from outside with other keys than those of its gateways, and settings that lose commits are shown', async () => {
    const url = await server.database()
    const at = place({}, { TOOLWIRE_STORE: url })
    expect((await at.run('keys', 'create', 'ada', '--data-dir', 'data')).code).toBe(0)
    expect((await at.run('store', 'status')).code).toBe(0)
    const others = [
      [{ TOOLWIRE_VAULT_KEY: 'ab'.repeat(32) }, 'opens the sealed data'],
      [{ TOOLWIRE_AUDIT_KEY: newSigningKey() }, 'signs the audit log'],
      [{ TOOLWIRE_VAULT_KEY: '', TOOLWIRE_AUDIT_KEY: '' }, 'opens the sealed data'],
    ] as const
    for (const [more, purpose] of others) {
      const other = place({}, { TOOLWIRE_STORE: url, ...more })
      const why = expect.stringContaining(`does not have the key that ${purpose}`)
      expect(await other.run('store', 'status')).toMatchObject({ code: 1, stdout: why })
      expect(await other.run('doctor', '--offline')).toMatchObject({ code: 1, stdout: why })
    }
    await inDatabase(url, `ALTER DATABASE ${new URL(url).pathname.slice(1)} SET synchronous_commit = off`)
    expect((await at.run('store', 'status')).stdout).toContain('before they are on its disk (synchronous_commit = off)')
  })

  it.skipIf(!pgBouncerFound)('reports its pooler', async () => {
    const pooler = await pgBouncer(await server.database())
    onTestFinished(() => pooler.close())
    const at = place({}, { TOOLWIRE_STORE: pooler.url })
    expect((await at.run('store', 'status')).stdout).toContain('Pooler: one in transaction mode')
  })

  it('is refused with a reason if unusable, and a DATABASE_URL of another program is ignored', async () => {
    const closed = place({ store: 'postgres://127.0.0.1:1/db' })
    expect(await closed.run('store', 'status')).toMatchObject({ code: 4, stderr: expect.stringContaining('Nothing listens') })
    for (const words of [['keys', 'list'], ['login']])
      expect(await closed.run(...words, '--data-dir', 'data')).toMatchObject({ code: 4 })
    expect(await closed.run('up', '--no-console')).toMatchObject({
      code: 4,
      stderr: expect.stringContaining('cannot be used. Nothing listens'),
    })
    expect((await closed.run('doctor', '--offline')).stdout).toMatch(/wrong +store: Nothing listens at the address of PostgreSQL/)
    const other = place({}, { DATABASE_URL: 'postgres://127.0.0.1:1/other' })
    expect((await other.run('store', 'status')).stdout).toMatch(/^The store is the data directory /)
    expect(await other.run('store', 'migrate')).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('No PostgreSQL is configured'),
    })
    // A config that was found is not read before it is accepted, so nothing is said about its store.
    const found = place({ store: 'postgres://127.0.0.1:1/db' }, { TOOLWIRE_CONFIG: '' })
    const waits = /mcp\.json was found, not named\. Until you accept it, .* its settings\. .*toolwire trust/
    for (const words of [['replicas'], ['config', 'history'], ['store', 'migrate']])
      expect(await found.run(...words)).toMatchObject({ code: 2, stderr: expect.stringMatching(waits) })
    expect((await found.run('store', 'status')).stdout).toMatch(waits)
    const named = place({ store: 'postgres' }, { DATABASE_URL: 'postgres://127.0.0.1:1/other' })
    expect((await named.run('store', 'status')).code).toBe(4)
  })
})
