// A real PostgreSQL server on a free port, which a test may kill, freeze and start again; and databases of their own in it.
import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { chownSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import { freePort } from './free-port.js'
import { killAtExit } from './kill-at-exit.js'

/** Debian keeps the programs out of the path. */
function programs(): string | undefined {
  const versions = '/usr/lib/postgresql'
  const folders = existsSync(versions) ? readdirSync(versions).sort((a, b) => Number(b) - Number(a)) : []
  return folders.map((version) => join(versions, version, 'bin')).find((folder) => existsSync(join(folder, 'initdb')))
}

const found = programs()
export const postgresFound = found !== undefined
if (!postgresFound) {
  if (process.env.CI) throw new Error('PostgreSQL is missing: apt-get install postgresql')
  console.warn('SKIPPED: no PostgreSQL here, so nothing that replicas share is tested')
}

/** The text of a time or of bytes may look like this in anybody's database. */
const unusual = ['datestyle=SQL, DMY', 'timezone=Asia/Kolkata', 'bytea_output=escape', 'intervalstyle=sql_standard']

const mostStartMs = 60_000
const mostEndMs = 30_000

export type PostgresServer = {
  readonly port: number
  /** The address of a new database: an empty one, or a copy of another that nobody is connected to. */
  database(template?: string): Promise<string>
  /** Ends it as a crash does. */
  kill(): Promise<void>
  start(): Promise<void>
  /** Ends it, and removes its files. */
  close(): Promise<void>
}

/** `settings` are lines of postgresql.conf. */
export async function postgresServer(settings: readonly string[] = []): Promise<PostgresServer> {
  const folder = mkdtempSync(join(tmpdir(), 'toolwire-postgres-'))
  // PostgreSQL refuses to run as root.
  const user = userFor(folder)
  const data = join(folder, 'data')
  const made = spawnSync(
    join(found ?? '', 'initdb'),
    ['-D', data, '-U', 'toolwire', '-A', 'trust', '-N', '-E', 'UTF8', '--locale=C'],
    user,
  )
  if (made.status !== 0) throw new Error(`initdb failed: ${made.stderr}`)
  const port = await freePort()
  let child: ChildProcess
  const url = (name: string) => `postgres://toolwire@127.0.0.1:${port}/${name}`

  async function start(): Promise<void> {
    const set = ['listen_addresses=127.0.0.1', `port=${port}`, `unix_socket_directories=${folder}`, ...unusual, ...settings]
    for (const until = performance.now() + mostStartMs; ; ) {
      child = spawn(join(found ?? '', 'postgres'), ['-D', data, ...set.flatMap((one) => ['-c', one])], {
        ...user,
        stdio: 'ignore',
      })
      killAtExit(child)
      try {
        return await asked('postgres', 'SELECT 1')
      } catch (thrown) {
        // It refuses to start while a child of the one that was killed is still there.
        if (performance.now() > until) throw thrown
        await new Promise((resolve) => setTimeout(resolve, 50))
      }
    }
  }

  const hasEnded = () => child.exitCode !== null || child.signalCode !== null

  /** Until it answers. */
  async function asked(database: string, text: string): Promise<void> {
    for (;;) {
      if (hasEnded()) throw new Error(`PostgreSQL has ended with ${child.exitCode ?? child.signalCode}`)
      const client = new pg.Client(url(database))
      client.on('error', () => undefined)
      try {
        await client.connect()
        await client.query(text)
        return
      } catch (thrown) {
        if (!isNotReady(thrown)) throw thrown
        await new Promise((resolve) => setTimeout(resolve, 50))
      } finally {
        await client.end().catch(() => undefined)
      }
    }
  }

  async function ended(signal: NodeJS.Signals): Promise<void> {
    if (hasEnded()) return
    const gone = once(child, 'exit')
    child.kill(signal)
    await gone
  }

  await start()
  return {
    port,
    async database(template = 'template1') {
      const name = `test_${randomUUID().replaceAll('-', '')}`
      await asked('postgres', `CREATE DATABASE ${name} TEMPLATE ${template}`)
      return url(name)
    },
    async kill() {
      const children = childrenOf(child.pid)
      await ended('SIGKILL')
      // They notice, and end as well: until then they answer.
      for (const until = performance.now() + mostEndMs; performance.now() < until && children.some(isRunning); )
        await new Promise((resolve) => setTimeout(resolve, 5))
    },
    start,
    async close() {
      await ended('SIGQUIT')
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

/** None where the system does not say. */
function childrenOf(pid: number | undefined): number[] {
  const file = `/proc/${pid}/task/${pid}/children`
  return existsSync(file) ? readFileSync(file, 'utf8').split(' ').filter(Boolean).map(Number) : []
}

/** Not even as one that has ended and that nobody has asked about. */
function isRunning(pid: number): boolean {
  try {
    return !/\) Z /.test(readFileSync(`/proc/${pid}/stat`, 'utf8'))
  } catch {
    return false // it is gone
  }
}

function userFor(folder: string): { uid?: number; gid?: number; encoding: 'utf8' } {
  if (process.getuid?.() !== 0) return { encoding: 'utf8' }
  const idOf = (flag: string) => Number(spawnSync('id', [flag, 'postgres'], { encoding: 'utf8' }).stdout)
  const [uid, gid] = [idOf('-u'), idOf('-g')]
  chownSync(folder, uid, gid)
  return { uid, gid, encoding: 'utf8' }
}

/** It starts, recovers, or does not listen yet. */
const isNotReady = (thrown: unknown): boolean =>
  thrown instanceof Error &&
  (('code' in thrown && ['ECONNREFUSED', 'ECONNRESET', '57P03'].includes(String(thrown.code))) ||
    /terminated/.test(thrown.message))
