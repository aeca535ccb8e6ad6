// Commands use the data directory of the gateway's config, and relative paths start from the folder of the command.
import { existsSync, mkdirSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { commandHere } from '../support/command-here.js'
import { ask, folder, started, storeIn } from '../support/running-gateway.js'

function place() {
  const path = folder()
  const env = { HOME: path, PATH: process.env.PATH, TOOLWIRE_URL: 'http://127.0.0.1:9' }
  const run = (...words: string[]) => commandHere(words, { cwd: path, env })
  return { path, run }
}

describe('a config written by commands', () => {
  it('is accepted in the given data directory, and in no other', async () => {
    const { path, run } = place()
    mkdirSync(join(path, '.cursor'))
    writeFileSync(join(path, '.cursor/mcp.json'), JSON.stringify({ mcpServers: { three: { command: 'three' } } }))
    writeFileSync(join(path, 'mcp.json'), '{ "mcpServers": {} }')
    const waitsIn = async (dataDir: string) =>
      (JSON.parse((await run('trust', '--dry-run', '--json', '--data-dir', dataDir)).stdout) as { waiting: object[] }).waiting
    for (const words of [
      ['add', 'one', '--', 'one'],
      ['add', 'two', '--', 'two'],
      ['set', 'guard.rate.calls', '120'],
      ['remove', 'two'],
      ['import', 'cursor', '--yes'],
    ]) {
      const [command = '', ...rest] = words
      const { code, stderr } = await run(command, '--data-dir', 'own', ...rest)
      expect([words, code], stderr).toEqual([words, 0])
      expect([words, await waitsIn('own')]).toEqual([words, []])
    }
    expect(await waitsIn('another')).toHaveLength(3)
    expect(existsSync(join(path, '.local'))).toBe(false)
  })
})

describe('a file in place of a data directory', () => {
  it('is refused by every command in the same words, with a config in the folder and without', async () => {
    const { path, run } = place()
    writeFileSync(join(path, 'file'), '')
    const commands = [
      ['audit', 'verify'],
      ['keys', 'list'],
      ['store', 'copy', '--to', 'postgres://127.0.0.1:1/x'],
      ['store', 'copy', '--from', 'postgres://127.0.0.1:1/x'],
    ]
    const refusals = async () => {
      for (const command of commands) {
        const { code, stderr } = await run(...command, '--data-dir', 'file')
        const words = `toolwire: The data directory ${join(path, 'file')} is not a folder. Choose another with --data-dir\n`
        expect([command, code, stderr]).toEqual([command, 2, words])
      }
    }
    await refusals()
    writeFileSync(join(path, 'mcp.json'), '{ "mcpServers": { "x": { "command": "true" } } }')
    await refusals()
    const accepting = await run('trust', '--yes', '--data-dir', 'file')
    expect([accepting.code, accepting.stderr]).toEqual([2, expect.stringContaining('file is not a folder. Choose another')])
    for (const command of ['up', 'login'])
      expect((await run(command, '--data-dir', 'file')).stderr).toContain('file cannot be written (EEXIST')
    expect((await run('doctor', '--offline', '--data-dir', 'file')).stdout).toMatch(/data: .*file is not a folder/)
  })
})

describe('a policy file', () => {
  it('is the one in the folder of the command, not of the process', async () => {
    const { path, run } = place()
    writeFileSync(join(path, 'rules.json'), JSON.stringify({ rules: [{ name: 'all', decision: 'deny' }] }))
    expect(await run('policy', 'test', 'rules.json')).toMatchObject({ code: 0, stdout: expect.stringContaining('1 rule') })
    expect((await run('policy', 'explain', 'rules.json', '--tool', 'x')).stdout).toContain('deny')
  })
})

describe('an audit log without a gateway', () => {
  it('is verified in its data directory, which must exist and be unused', async () => {
    const { path, run } = place()
    const dataDir = join(path, 'data')
    const gateway = await started({ dataDir })
    await ask(gateway, '/keys', { body: { caller: 'ada' } })
    await gateway.control.store.audit.quiet()
    const { sequence, hash } = gateway.control.store.audit.head ?? { sequence: 0, hash: '' }
    expect(sequence).toBeGreaterThan(0)
    const verify = (...more: string[]) => run('audit', 'verify', '--data-dir', 'data', ...more)
    expect((await verify()).code).toBe(1)
    await gateway.close({ drainMs: 0, delayMs: 0 })
    expect(await verify('--head', `${sequence}:${hash}`)).toMatchObject({ code: 0, stdout: expect.stringContaining('intact') })
    for (const head of [`${sequence}:${'0'.repeat(64)}`, `${sequence + 9}:${hash}`])
      expect(await verify('--head', head)).toMatchObject({ code: 1, stdout: expect.stringContaining('was altered') })
    const missing = await run('audit', 'verify', '--data-dir', 'missing')
    expect([missing.code, existsSync(join(path, 'missing'))]).toEqual([2, false])
    expect((await verify()).stdout).toContain(`Verified: ${dataDir}`)
    const away = join(path, 'audit.key')
    renameSync(join(dataDir, 'audit.key'), away)
    const refused = await verify()
    expect([refused.code, existsSync(join(dataDir, 'audit.key'))]).toEqual([2, false])
    expect(refused.stderr).toContain(`A key of the gateway is not in ${dataDir}. Set TOOLWIRE_AUDIT_KEY as for the gateway`)
    renameSync(away, join(dataDir, 'audit.key'))
    // The log is read without the other key.
    renameSync(join(dataDir, 'vault.key'), join(path, 'vault.key'))
    expect((await verify()).code).toBe(0)
    renameSync(join(path, 'vault.key'), join(dataDir, 'vault.key'))
    // The command has released the directory.
    await (await storeIn(dataDir)).close()
  })
})
