// A PostgreSQL of the run's own, which counts its statements.
import { spawn, spawnSync } from 'node:child_process'
import { chownSync, existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import pg from 'pg'
import { cpuMicrosOfAll, pidOf, tracked } from './processes.js'

export interface Database {
  readonly url: string
  /** Its statements so far, and what all databases of the server have written and computed. */
  counts(): Promise<DatabaseCounts>
}

export interface DatabaseCounts {
  readonly statements: number
  readonly commits: number
  readonly walBytes: number
  readonly cpuMicros: number
}

export interface DatabaseServer {
  database(name: string): Promise<Database>
}

const versions = '/usr/lib/postgresql'

/** Undefined where PostgreSQL is not installed. */
export async function startDatabaseServer(): Promise<DatabaseServer | undefined> {
  const programs = existsSync(versions) ? readdirSync(versions).map((version) => join(versions, version, 'bin')) : []
  const bin = programs.find((folder) => existsSync(join(folder, 'initdb')))
  if (bin === undefined) return undefined
  const folder = mkdtempSync(join(tmpdir(), 'toolwire-bench-postgres-'))
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }))
  const user = userFor(folder)
  const made = spawnSync(join(bin, 'initdb'), ['-D', join(folder, 'data'), '-U', 'bench', '-A', 'trust', '-E', 'UTF8'], user)
  if (made.status !== 0) throw new Error(`initdb failed: ${made.stderr}`)
  const port = await freePort()
  const settings = [`port=${port}`, `unix_socket_directories=${folder}`, 'shared_preload_libraries=pg_stat_statements']
  const words = ['-D', join(folder, 'data'), ...settings.flatMap((one) => ['-c', one])]
  const pid = pidOf(tracked(spawn(join(bin, 'postgres'), words, { ...user, stdio: 'ignore' })))
  const admin = await connectedTo(`postgres://bench@127.0.0.1:${port}/postgres`)
  await admin.query('CREATE EXTENSION pg_stat_statements')
  return {
    async database(name) {
      await admin.query(`CREATE DATABASE ${name}`)
      return { url: `postgres://bench@127.0.0.1:${port}/${name}`, counts: () => countsOf(admin, name, pid) }
    },
  }
}

async function countsOf(admin: pg.Client, name: string, pid: number): Promise<DatabaseCounts> {
  const { rows } = await admin.query(
    `SELECT pg_current_wal_insert_lsn() - '0/0' AS wal, coalesce(sum(calls), 0) AS statements,
       coalesce(sum(calls) FILTER (WHERE query IN ('COMMIT', 'commit')), 0) AS commits
     FROM pg_stat_statements JOIN pg_database ON pg_database.oid = dbid WHERE datname = $1`,
    [name],
  )
  const [{ wal, statements, commits }] = rows as [{ wal: string; statements: string; commits: string }]
  return { walBytes: Number(wal), statements: Number(statements), commits: Number(commits), cpuMicros: cpuMicrosOfAll(pid) }
}

/** PostgreSQL refuses to run as root. */
function userFor(folder: string): { uid?: number; gid?: number; encoding: 'utf8' } {
  if (process.getuid?.() !== 0) return { encoding: 'utf8' }
  const idOf = (flag: string) => Number(spawnSync('id', [flag, 'postgres'], { encoding: 'utf8' }).stdout)
  const [uid, gid] = [idOf('-u'), idOf('-g')]
  chownSync(folder, uid, gid)
  return { uid, gid, encoding: 'utf8' }
}

async function connectedTo(connectionString: string): Promise<pg.Client> {
  for (let tries = 1; ; tries++) {
    const client = new pg.Client({ connectionString })
    client.on('error', () => undefined)
    try {
      await client.connect()
      return client
    } catch (thrown) {
      if (tries === 200) throw thrown
      await pause(50)
    }
  }
}

function freePort(): Promise<number> {
  const probe = createServer()
  return new Promise((resolve) => {
    probe.listen(0, '127.0.0.1', () => {
      const address = probe.address()
      probe.close(() => resolve(typeof address === 'object' && address ? address.port : 0))
    })
  })
}
