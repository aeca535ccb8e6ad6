// A real PostgreSQL server on a free port, with separate databases. A test may kill, freeze and restart the server.
import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { chownSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import { freePort } from './free-port.js'
import { killAtExit } from './kill-at-exit.js'

/** Finds the PostgreSQL programs. Debian does not add them to the PATH. */
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

/** Unusual server settings that change how PostgreSQL writes times and bytes. */
const unusual = ['datestyle=SQL, DMY', 'timezone=Asia/Kolkata', 'bytea_output=escape', 'intervalstyle=sql_standard']

const mostStartMs = 60_000
const mostEndMs = 30_000

export type PostgresServer = {
  readonly port: number
  /** The URL of a new database: an empty one, or a copy of another database that has no connections. */
  database(template?: string): Promise<string>
  /** Ends the server as in a crash. */
  kill(): Promise<void>
  start(): Promise<void>
  /** Ends the server and removes its files. */
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
        // PostgreSQL refuses to start while a child process of the killed server is still running.
        if (performance.now() > until) throw thrown
        await new Promise((resolve) => setTimeout(resolve, 50))
      }
    }
  }

  const hasEnded = () => child.exitCode !== null || child.signalCode !== null

  /** Runs a statement, and retries until the server accepts it. */
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
      // Child processes of a killed server answer until they notice and exit.
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

/** Returns an empty list if the system has no such file. */
function childrenOf(pid: number | undefined): number[] {
  const file = `/proc/${pid}/task/${pid}/children`
  return existsSync(file) ? readFileSync(file, 'utf8').split(' ').filter(Boolean).map(Number) : []
}

/** True if the process exists and is not a zombie. */
function isRunning(pid: number): boolean {
  try {
    return !/\) Z /.test(readFileSync(`/proc/${pid}/stat`, 'utf8'))
  } catch {
    return false // no such process
  }
}

function userFor(folder: string): { uid?: number; gid?: number; encoding: 'utf8' } {
  if (process.getuid?.() !== 0) return { encoding: 'utf8' }
  const idOf = (flag: string) => Number(spawnSync('id', [flag, 'postgres'], { encoding: 'utf8' }).stdout)
  const [uid, gid] = [idOf('-u'), idOf('-g')]
  chownSync(folder, uid, gid)
  return { uid, gid, encoding: 'utf8' }
}

/** True if the server is starting, recovering or not listening yet. */
const isNotReady = (thrown: unknown): boolean =>
  thrown instanceof Error &&
  (('code' in thrown && ['ECONNREFUSED', 'ECONNRESET', '57P03'].includes(String(thrown.code))) ||
    /terminated/.test(thrown.message))
