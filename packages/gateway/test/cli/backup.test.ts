// The backup procedures in docs/guides/running-as-a-service.md: copies of the data directory are complete, online and offline.

import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, copyFileSync, cpSync, mkdirSync, readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { connect } from 'toolwire/client'
import { describe, expect, it, onTestFinished } from 'vitest'
import { commandHere } from '../support/command-here.js'
import { openDatabase } from '../support/open-database.js'
import { clean, folder, program, shop } from '../support/run-program.js'
import { words } from '../support/running-gateway.js'

const config = JSON.stringify({
  mcpServers: { shop: { command: process.execPath, args: shop.slice(2) } },
  toolwire: { guard: { approvals: false, rate: false }, callers: { apiKeys: true }, console: false },
})

async function up(path: string, dataDir: string) {
  const child = spawn(process.execPath, [program, 'up', 'mcp.json', '--json', '--port', '0', '--data-dir', dataDir], {
    cwd: path,
    env: clean(path),
    stdio: ['ignore', 'pipe', 'ignore'],
  })
  const ended = new Promise<number | null>((resolve) => child.once('exit', resolve))
  onTestFinished(() => void child.kill('SIGKILL'))
  const [line] = await once(createInterface(child.stdout), 'line')
  const url: string = JSON.parse(String(line)).url
  const run = (...words: string[]) =>
    commandHere(words, { cwd: path, env: { ...clean(path), TOOLWIRE_URL: new URL(url).origin } })
  const stop = () => {
    child.kill('SIGTERM')
    return ended
  }
  return { url, run, stop }
}

/** SQLite's own copy: `sqlite3 toolwire.db "VACUUM INTO '…'"`, and the keys beside it. */
function copyWhileRunning(from: string, to: string): void {
  mkdirSync(to, { mode: 0o700 })
  const database = openDatabase(from)
  database.exec(`VACUUM INTO '${join(to, 'toolwire.db')}'`)
  database.close()
  chmodSync(join(to, 'toolwire.db'), 0o600)
  for (const name of readdirSync(from).filter((one) => one.endsWith('.key'))) copyFileSync(join(from, name), join(to, name))
}

const search = async (url: string, key: string) => {
  await using caller = await connect({ type: 'http', url, headers: { Authorization: `Bearer ${key}` } })
  return words(await caller.call('shop__search', { query: 'mug' }))
}

describe.each(['while the gateway runs', 'when it has stopped'])('A copy of the data directory, made %s', (when) => {
  it('is usable by another gateway: the log verifies, keys are valid, and the log continues', async () => {
    const { path, [Symbol.dispose]: remove } = folder({ 'mcp.json': config })
    onTestFinished(remove)
    const [data, backup] = [join(path, 'data'), join(path, 'backup')]
    const first = await up(path, data)
    const key = (await first.run('keys', 'create', 'ana', '--quiet')).stdout.trim()
    expect(await search(first.url, key)).toContain('mug')
    const { stdout } = await first.run('audit', 'verify', '--json')
    const { head } = JSON.parse(stdout)
    if (when === 'while the gateway runs') copyWhileRunning(data, backup)
    // Only changes after the backup are lost.
    expect(await search(first.url, key)).toContain('mug')
    expect(await first.stop()).toBe(0)
    if (when === 'when it has stopped') cpSync(data, backup, { recursive: true })
    rmSync(data, { recursive: true })

    const second = await up(path, backup)
    const kept = `${head.sequence}:${head.hash}`
    expect(await second.run('audit', 'verify', '--head', kept)).toMatchObject({ code: 0 })
    expect((await second.run('keys', 'list')).stdout).toContain('ana')
    const before = JSON.parse((await second.run('audit', 'verify', '--json')).stdout)
    expect(await search(second.url, key)).toContain('mug')
    const after = JSON.parse((await second.run('audit', 'verify', '--json')).stdout)
    expect(after.head.sequence).toBe(before.head.sequence + 2)
    expect(await second.run('audit', 'verify', '--head', kept)).toMatchObject({ code: 0 })
    expect(await second.stop()).toBe(0)
  })
})
