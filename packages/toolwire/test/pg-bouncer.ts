// A real PgBouncer in transaction mode in front of a PostgreSQL server. Clients share its server connections.
import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { chownSync, existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import { freePort } from './free-port.js'
import { killAtExit } from './kill-at-exit.js'

const program = ['/usr/sbin/pgbouncer', '/usr/bin/pgbouncer'].find((path) => existsSync(path))
export const pgBouncerFound = program !== undefined
if (!pgBouncerFound) {
  if (process.env.CI) throw new Error('PgBouncer is missing: apt-get install pgbouncer')
  console.warn('SKIPPED: no PgBouncer here, so no store is tested behind one')
}

/** Starts a pooler, and returns the URL of the same database behind it. */
export async function pgBouncer(url: string, poolSize = 3): Promise<{ readonly url: string; close(): Promise<void> }> {
  const { port: target, pathname } = new URL(url)
  const folder = mkdtempSync(join(tmpdir(), 'toolwire-pgbouncer-'))
  const port = await freePort()
  const settings = join(folder, 'pgbouncer.ini')
  writeFileSync(join(folder, 'users.txt'), '"toolwire" ""\n')
  writeFileSync(
    settings,
    `[databases]
* = host=127.0.0.1 port=${target}
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = ${port}
unix_socket_dir =
auth_type = trust
auth_file = ${join(folder, 'users.txt')}
pool_mode = transaction
default_pool_size = ${poolSize}
server_login_retry = 1
max_client_conn = 200
`,
  )
  // PgBouncer refuses to run as root.
  const isRoot = process.getuid?.() === 0
  const idOf = (flag: string) => Number(execFileSync('id', [flag, 'postgres'], { encoding: 'utf8' }))
  const user = isRoot ? { uid: idOf('-u'), gid: idOf('-g') } : {}
  if (user.uid !== undefined && user.gid !== undefined)
    for (const path of [folder, settings, join(folder, 'users.txt')]) chownSync(path, user.uid, user.gid)
  const child = spawn(program ?? '', [settings], { ...user, stdio: 'ignore' })
  killAtExit(child)
  const through = `postgres://toolwire@127.0.0.1:${port}${pathname}`
  for (;;) {
    if (child.exitCode !== null) throw new Error(`PgBouncer has ended with ${child.exitCode}`)
    const client = new pg.Client(through)
    client.on('error', () => undefined)
    const isReady = await client.connect().then(
      () => true,
      () => false,
    )
    await client.end().catch(() => undefined)
    if (isReady) break
    await new Promise((resolve) => setTimeout(resolve, 50))
  }
  return {
    url: through,
    async close() {
      const gone = once(child, 'exit')
      child.kill('SIGKILL')
      await gone
      rmSync(folder, { recursive: true, force: true })
    },
  }
}
