// The gateway with its store in PostgreSQL: against SQLite, and as several replicas on one database.
import { generateKeyPairSync, randomBytes } from 'node:crypto'
import { setTimeout as pause } from 'node:timers/promises'
import type { Driver } from './driver.js'
import { httpDriver } from './load-http.js'
import type { Reading, Run } from './measures.js'
import { type Database, type DatabaseCounts, type DatabaseServer, startDatabaseServer } from './postgres.js'
import { cpuMicros, startHttp } from './processes.js'
import { median, type Pace, ratio, warm } from './race.js'
import { control, toolwire } from './subjects.js'
import { add } from './wire.js'

/** Replicas that work side by side, and who asks each of them. */
interface Group {
  readonly pids: readonly number[]
  readonly drivers: readonly Driver[]
  readonly database: Database | undefined
}

/** Calls wait for commits, so fewer of them are made in the same time. */
const patient = (pace: Pace): Pace => ({ ...warm(pace), sliceMs: pace.sliceMs * 4 })

const connectionsEach = Number(process.env.CONNECTIONS ?? 16)
const sizes = [2, 4] as const

/** The readings of: PostgreSQL against SQLite, statements, WAL bytes and the database's CPU a call, two replicas and four against one. */
export async function measureFleet(run: Run): Promise<readonly (readonly Reading[])[]> {
  const server = await startDatabaseServer()
  if (!server) {
    run.tell('fleet: PostgreSQL is not installed')
    return []
  }
  try {
    return await measureReplicas(run, server)
  } finally {
    await server.close()
  }
}

async function measureReplicas(run: Run, server: DatabaseServer): Promise<readonly (readonly Reading[])[]> {
  const { port } = await run.fleet.http(control, { TOOLS: '0' })
  const start = groupStarter(server, port)
  const pace = patient(run.options.pace)
  const [sqlite, one] = [await start(1, false), await start(1, true)]
  const against = await takeTurns([sqlite, one], pace)
  const counted = await countsPerCall(one, pace.sliceMs * 2)
  close(sqlite)
  const many: (readonly Reading[])[] = []
  for (const size of sizes) {
    const group = await start(size, true)
    many.push(readingsOf(await takeTurns([one, group], pace, tick)))
    close(group)
  }
  close(one)
  const { statements, walBytes, cpuMicros, calls } = counted
  return [
    readingsOf(against),
    [{ subject: toolwire.name, value: statements, detail: `${calls} calls` }],
    [{ subject: toolwire.name, value: walBytes / 1_024, detail: `${Math.round(walBytes)} bytes` }],
    [{ subject: toolwire.name, value: cpuMicros, detail: `${calls} calls` }],
    ...many,
  ]
}

function groupStarter(server: DatabaseServer, upstream: number) {
  const pem = generateKeyPairSync('ed25519').privateKey.export({ type: 'pkcs8', format: 'pem' }).toString()
  const keys = { TOOLWIRE_VAULT_KEY: randomBytes(32).toString('base64'), TOOLWIRE_AUDIT_KEY: pem }
  return async (size: number, isShared: boolean): Promise<Group> => {
    const database = isShared ? await server.database() : undefined
    const env = { UPSTREAM: String(upstream), GUARD: 'full', ...(database && { ...keys, STORE: database.url }) }
    const replicas = await Promise.all(Array.from({ length: size }, () => startHttp('gateway.js', env)))
    const drivers = await Promise.all(
      replicas.map(({ port }) => httpDriver({ port, revision: '2026-07-28', question: add, connections: connectionsEach })),
    )
    return { pids: replicas.map(({ pid }) => pid), drivers, database }
  }
}

type Turns = { readonly base: number[]; readonly took: number[] }

/** CPU microseconds a call of both, round by round. */
async function takeTurns([base, other]: readonly [Group, Group], pace: Pace, load = drive): Promise<Turns> {
  for (const group of [base, other]) await warmUp(group, pace)
  const turns: Turns = { base: [], took: [] }
  for (let round = 0; round < pace.rounds; round++) {
    turns.base.push(await slice(base, pace.sliceMs, load))
    turns.took.push(await slice(other, pace.sliceMs, load))
  }
  return turns
}

async function slice(group: Group, ms: number, load: typeof drive): Promise<number> {
  // The first calls open the connections again; they do not count.
  await drive(group, 20)
  const before = cpuOf(group)
  const calls = await load(group, ms)
  return (cpuOf(group) - before) / calls
}

/** Replicas share the machine, so what counts is how many calls each has answered: one for each millisecond of the pace. */
async function warmUp(group: Group, { warmMs, sliceMs }: Pace): Promise<void> {
  for (let calls = 0; calls < warmMs * group.drivers.length; ) calls += await drive(group, sliceMs)
}

const tickMs = 100

/** The same load for each replica, however many there are: a call on each connection ten times a second. */
async function tick({ drivers }: Group, ms: number): Promise<number> {
  const until = performance.now() + ms
  let calls = 0
  while (performance.now() < until) {
    const next = performance.now() + tickMs
    for (const count of await Promise.all(drivers.map((driver) => driver.run(0)))) calls += count
    await pause(Math.max(0, next - performance.now()))
  }
  return calls
}

const cpuOf = ({ pids }: Group): number => pids.reduce((sum, pid) => sum + cpuMicros(pid), 0)

/** How many calls were made. */
async function drive({ drivers }: Group, ms: number): Promise<number> {
  const counts = await Promise.all(drivers.map((driver) => driver.run(ms)))
  return counts.reduce((sum, count) => sum + count, 0)
}

function close({ drivers, pids }: Group): void {
  for (const driver of drivers) driver.close()
  for (const pid of pids) process.kill(pid, 'SIGKILL')
}

function readingsOf({ base, took }: Turns): readonly Reading[] {
  const detail = `${median(base).toFixed(0)} -> ${median(took).toFixed(0)} µs`
  return [{ subject: toolwire.name, value: 1 / ratio(base, took), detail }]
}

async function countsPerCall(group: Group, ms: number) {
  const before = await group.database?.counts()
  const calls = await drive(group, ms)
  const after = await group.database?.counts()
  const perCall = (name: keyof DatabaseCounts) => ((after?.[name] ?? 0) - (before?.[name] ?? 0)) / calls
  return { statements: perCall('statements'), walBytes: perCall('walBytes'), cpuMicros: perCall('cpuMicros'), calls }
}
