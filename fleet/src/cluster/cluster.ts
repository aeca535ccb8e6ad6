// PostgreSQL behind a proxy, the upstreams, the replicas, and the load balancer in front of them.
import { generateKeyPairSync, hkdfSync, randomBytes } from 'node:crypto'
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { freePort } from '../../../packages/toolwire/test/free-port.js'
import { pgBouncer } from '../../../packages/toolwire/test/pg-bouncer.js'
import type { PostgresServer } from '../../../packages/toolwire/test/postgres-server.js'
import type { Executed } from '../history.js'
import { writeConfig } from './fleet-config.js'
import { type Balancer, startBalancer } from './haproxy.js'
import { killProcess, startProcess } from './processes.js'
import { Replica } from './replica.js'
import { startTcpProxy, type TcpProxy } from './tcp-proxy.js'

export type ClusterOptions = {
  readonly replicas: number
  /** By default each replica has its own database. */
  readonly postgres?: PostgresServer
  /** Puts PgBouncer in front of PostgreSQL, in transaction mode. */
  readonly hasPooler?: boolean
  /** Allows the replicas' clocks to be set. */
  readonly ownClocks?: boolean
  /** The replicas keep records on their own disk while PostgreSQL is unreachable. */
  readonly spool?: boolean
  /** Replaces the usual config. Clients need no key, because the balancer adds one. */
  readonly config?: object
}

export type Cluster = {
  readonly folder: string
  readonly url: string
  /** The address for HTTP+SSE clients. */
  readonly sseUrl: string
  readonly apiKey: string
  readonly replicas: readonly Replica[]
  readonly balancer: Balancer
  readonly proxy: TcpProxy | undefined
  /** The address of the database that bypasses the proxy. */
  readonly database: string | undefined
  /** The key of the digests in the audit log. */
  readonly digestKey: string
  executed(): Executed[]
  close(): Promise<void>
}

export async function startCluster({
  replicas: count,
  postgres,
  hasPooler = false,
  ownClocks = false,
  spool = false,
  config: instead,
}: ClusterOptions): Promise<Cluster> {
  const folder = mkdtempSync(join(tmpdir(), 'toolwire-fleet-'))
  const files = { web: join(folder, 'web.jsonl'), pipe: join(folder, 'pipe.jsonl') }
  const web = startProcess(process.execPath, [fileURLToPath(new URL('./work-http.js', import.meta.url)), files.web])
  const webPort = Number(await web.firstLine)
  const config = writeConfig({ folder, webPort, pipeFile: files.pipe, spool }, instead)
  const database = await postgres?.database()
  const pooler = database !== undefined && hasPooler ? await pgBouncer(database, 20) : undefined
  const proxy = postgres && (await startTcpProxy(pooler ? Number(new URL(pooler.url).port) : postgres.port))
  const vaultKey = randomBytes(32)
  const auditKey = join(folder, 'audit.key')
  writeFileSync(auditKey, generateKeyPairSync('ed25519').privateKey.export({ type: 'pkcs8', format: 'pem' }), { mode: 0o600 })
  const env = {
    // Enough time for the balancer to notice the shutdown.
    TOOLWIRE_SHUTDOWN_DELAY_MS: '1500',
    TOOLWIRE_VAULT_KEY: vaultKey.toString('base64'),
    ...(database && proxy && { TOOLWIRE_STORE: database.replace(/:\d+\//, `:${proxy.port}/`) }),
  }
  const replicas: Replica[] = []
  for (let at = 0; at < count; at++)
    replicas.push(
      new Replica({ name: `replica${at}`, folder, port: await freePort(), config, auditKey, env, hasOwnClock: ownClocks }),
    )
  // All at once, because replicas must be able to create the tables and accept the upstreams concurrently.
  await Promise.all(replicas.map((replica) => replica.start()))
  const ports = replicas.map(({ port }) => port)
  await allReady(replicas)
  const apiKey = await newKey(replicas)
  const readyPath = await readyPathOf(ports[0] ?? 0)
  const balancer = await startBalancer({ folder, replicas: ports, readyPath, ...(instead && { apiKey }) })
  const cluster: Cluster = {
    ...{ folder, url: `${balancer.url}/mcp`, sseUrl: `${balancer.url}/sse`, apiKey, replicas, balancer, proxy, database },
    digestKey: Buffer.from(hkdfSync('sha256', vaultKey, '', 'toolwire audit digests', 32)).toString('hex'),
    executed: () => [files.web, files.pipe].flatMap(linesIn),
    async close() {
      await Promise.all(replicas.map((replica) => replica.kill()))
      await killProcess(balancer.running)
      await killProcess(web)
      await proxy?.close()
      await pooler?.close()
      rmSync(folder, { recursive: true, force: true })
    },
  }
  return cluster
}

/** The path of the balancer's readiness check. */
async function readyPathOf(port: number): Promise<string> {
  const { status } = await fetch(`http://127.0.0.1:${port}/readyz`)
  return status === 404 ? '/health' : '/readyz'
}

async function allReady(replicas: readonly Replica[]): Promise<void> {
  for (const replica of replicas) {
    for (;;) {
      const answer = await replica.manage('/servers')
      const { servers = [] } = (answer?.body ?? {}) as { servers?: { state?: string }[] }
      if (servers.length > 0 && servers.every(({ state }) => state === 'ready')) break
      if (!replica.isRunning) throw new Error(`${replica.name} has ended: ${replica.log()}`)
      await pause(50)
    }
  }
}

/** Creates a key for the clients, and waits until every replica accepts it. */
async function newKey(replicas: readonly Replica[]): Promise<string> {
  const made = await replicas[0]?.manage('/keys', { caller: 'fleet', scopes: [] })
  const { key } = (made?.body ?? {}) as { key?: string }
  if (key === undefined) throw new Error(`No key was made: ${JSON.stringify(made)}`)
  const headers = { 'x-api-key': key }
  for (const { port } of replicas) {
    // A replica answers 401 to an unknown key before it reads the request.
    while ((await fetch(`http://127.0.0.1:${port}/mcp`, { method: 'POST', headers })).status === 401) await pause(50)
  }
  return key
}

function linesIn(file: string): Executed[] {
  if (!existsSync(file)) return []
  const lines = readFileSync(file, 'utf8').split('\n').filter(Boolean)
  return lines.map((line) => JSON.parse(line) as Executed) // written by our own upstreams
}
