// The gateway with PostgreSQL: against SQLite, and as several replicas on one database.
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

/** Replicas that work in parallel, with a driver for each. */
interface Group {
  readonly pids: readonly number[]
  readonly drivers: readonly Driver[]
  readonly database: Database | undefined
}

/** Calls wait for commits, so slices are longer to contain enough of them. */
const patient = (pace: Pace): Pace => ({ ...warm(pace), sliceMs: pace.sliceMs * 4 })

const sizes = [2, 4] as const

/** Readings of PostgreSQL against SQLite, of the cost of a call and of an idle second, and of two and four replicas against one. */
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
  const start = groupStarter(server, port, run.options.connections)
  const pace = patient(run.options.pace)
  const [sqlite, one] = [await start(1, false), await start(1, true)]
  const against = await takeTurns([sqlite, one], pace)
  const cost = await costOfCalls(one, pace.sliceMs * 2)
  const idle = await costOfIdling(one, pace.sliceMs * 2)
  const many: (readonly Reading[])[] = []
  for (const size of sizes) {
    const group = await start(size, true)
    const shared = await takeTurns([one, group], pace, tick)
    // The statements show how much work the replicas make for each other. Unlike CPU time, they do not depend on the machine.
    const statements = [await costOfCalls(one, pace.sliceMs * 2, tick), await costOfCalls(group, pace.sliceMs * 2, tick)]
    close(group)
    // The control: the effect on a gateway of sharing the processor with others.
    const apart = await start(size, false)
    const alone = await takeTurns([sqlite, apart], pace, tick)
    close(apart)
    const [before, after] = statements.map((cost) => cost.statements.toFixed(2))
    const machine = `${growthOf(alone).toFixed(2)}x where they share nothing but the machine`
    many.push(readingsOf(shared, `, ${before} -> ${after} statements; ${machine}`))
  }
  for (const group of [sqlite, one]) close(group)
  const reading = (value: number, detail: string) => [{ subject: toolwire.name, value, detail }]
  return [
    readingsOf(against),
    reading(cost.statements, `${cost.callsPerSecond.toFixed(0)} calls a second`),
    reading(cost.walBytes / 1_024, `${cost.walBytes.toFixed(0)} bytes`),
    reading(cost.storedBytes / 1_024, `${cost.storedBytes.toFixed(0)} bytes`),
    reading(cost.databaseMicros, `${cost.replicaMicros.toFixed(0)} µs of the replica`),
    reading(
      idle.statements,
      `${idle.walBytes.toFixed(0)} bytes of WAL, ${idle.databaseMicros.toFixed(0)} µs of the database, ${idle.replicaMicros.toFixed(0)} µs of the replica`,
    ),
    ...many,
  ]
}

function groupStarter(server: DatabaseServer, upstream: number, connections: number) {
  const pem = generateKeyPairSync('ed25519').privateKey.export({ type: 'pkcs8', format: 'pem' }).toString()
  const keys = { TOOLWIRE_VAULT_KEY: randomBytes(32).toString('base64'), TOOLWIRE_AUDIT_KEY: pem }
  return async (size: number, isShared: boolean): Promise<Group> => {
    const database = isShared ? await server.database() : undefined
    const env = { UPSTREAM: String(upstream), GUARD: 'full', ...(database && { ...keys, STORE: database.url }) }
    const replicas = await Promise.all(Array.from({ length: size }, () => startHttp('gateway.js', env)))
    const drivers = await Promise.all(
      replicas.map(({ port }) => httpDriver({ port, revision: '2026-07-28', question: add, connections })),
    )
    return { pids: replicas.map(({ pid }) => pid), drivers, database }
  }
}

type Turns = { readonly base: number[]; readonly took: number[] }

/** CPU microseconds per call of both groups, by round. */
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
  // The first calls reconnect, so they do not count.
  await drive(group, 20)
  const before = cpuOf(group)
  const calls = await load(group, ms)
  return (cpuOf(group) - before) / calls
}

/**
 * Warms up by the number of calls, because replicas share the machine: one call for each millisecond of the pace. A single connection makes
 * too few calls, so a timeout ends the warm-up.
 */
async function warmUp(group: Group, { warmMs, sliceMs }: Pace): Promise<void> {
  const until = performance.now() + 3 * warmMs
  for (let calls = 0; calls < warmMs * group.drivers.length && performance.now() < until; ) calls += await drive(group, sliceMs)
}

const tickMs = 100

/** The same load for any number of replicas: a call on each connection ten times a second. */
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

async function drive({ drivers }: Group, ms: number): Promise<number> {
  const counts = await Promise.all(drivers.map((driver) => driver.run(ms)))
  return counts.reduce((sum, count) => sum + count, 0)
}

function close({ drivers, pids }: Group): void {
  for (const driver of drivers) driver.close()
  for (const pid of pids) process.kill(pid, 'SIGKILL')
}

const growthOf = ({ base, took }: Turns): number => 1 / ratio(base, took)

function readingsOf(turns: Turns, more = ''): readonly Reading[] {
  const detail = `${median(turns.base).toFixed(0)} -> ${median(turns.took).toFixed(0)} µs${more}`
  return [{ subject: toolwire.name, value: growthOf(turns), detail }]
}

/** The cost of a replica and its database, per call or per second. */
interface Cost extends Omit<DatabaseCounts, 'cpuMicros'> {
  readonly databaseMicros: number
  readonly replicaMicros: number
}

async function costOfCalls(group: Group, ms: number, load = drive): Promise<Cost & { readonly callsPerSecond: number }> {
  const cost = await meter(group)
  const began = performance.now()
  const calls = await load(group, ms)
  const seconds = (performance.now() - began) / 1_000
  return { ...(await cost(calls)), callsPerSecond: calls / seconds }
}

async function costOfIdling(group: Group, ms: number): Promise<Cost> {
  // Lets the last records be written and signed.
  await pause(ms)
  const cost = await meter(group)
  await pause(ms)
  return cost(ms / 1_000)
}

/** Begins to measure cost; the returned function ends the measurement. */
async function meter(group: Group): Promise<(units: number) => Promise<Cost>> {
  const { database } = group
  if (!database) throw new Error('a replica without a database')
  const before = { ...(await database.counts()), replicaMicros: cpuOf(group) }
  return async (units) => {
    const after = { ...(await database.counts()), replicaMicros: cpuOf(group) }
    const per = (name: keyof typeof before) => (after[name] - before[name]) / units
    return {
      statements: per('statements'),
      walBytes: per('walBytes'),
      storedBytes: per('storedBytes'),
      databaseMicros: per('cpuMicros'),
      replicaMicros: per('replicaMicros'),
    }
  }
}
