// A real PgBouncer in transaction mode, before a PostgreSQL server.
import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { chownSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { freePort } from './free-port.js'

export const pgbouncerFound = spawnSync('pgbouncer', ['--version']).status === 0
if (!pgbouncerFound) {
  if (process.env.CI) throw new Error('pgbouncer is missing: apt-get install pgbouncer')
  console.warn('SKIPPED: no pgbouncer here, so no pooler is tested')
}

/** Gives the address of that database behind it, and what ends it. `size` is the number of its connections to the server. */
export async function pgbouncer(url: string, size: number): Promise<{ url: string; close(): Promise<void> }> {
  const { hostname, port, username, pathname } = new URL(url)
  const folder = mkdtempSync(join(tmpdir(), 'toolwire-pgbouncer-'))
  const own = await freePort()
  const file = join(folder, 'pgbouncer.ini')
  const settings = [
    '[databases]',
    `* = host=${hostname} port=${port} user=${username}`,
    '[pgbouncer]',
    'listen_addr = 127.0.0.1',
    `listen_port = ${own}`,
    'unix_socket_dir =',
    'auth_type = any',
    'pool_mode = transaction',
    `default_pool_size = ${size}`,
  ]
  writeFileSync(file, settings.join('\n'))
  const isRoot = process.getuid?.() === 0
  if (isRoot) {
    const idOf = (flag: string) => Number(spawnSync('id', [flag, 'postgres'], { encoding: 'utf8' }).stdout)
    for (const path of [folder, file]) chownSync(path, idOf('-u'), idOf('-g'))
  }
  // It refuses to run as root.
  const child = spawn('pgbouncer', [...(isRoot ? ['-u', 'postgres'] : []), file], { stdio: ['ignore', 'ignore', 'pipe'] })
  process.once('exit', () => child.kill('SIGKILL'))
  let said = ''
  for await (const chunk of child.stderr) {
    said += chunk
    if (said.includes('process up')) break
  }
  if (child.exitCode !== null) throw new Error(`pgbouncer did not start: ${said}`)
  return {
    url: `postgres://${username}@127.0.0.1:${own}${pathname}`,
    async close() {
      const gone = once(child, 'exit')
      child.kill('SIGKILL')
      await gone
      rmSync(folder, { recursive: true, force: true })
    },
  }
}
