import { mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { pgBouncerFound } from '../../packages/toolwire/test/pg-bouncer.js'
import type { PostgresServer } from '../../packages/toolwire/test/postgres-server.js'
import { checkHistory } from './checker/check-history.js'
import { readTables } from './checker/read-tables.js'
import type { Violation } from './checker/violation.js'
import { startCluster } from './cluster/cluster.js'
import { limit } from './cluster/fleet-config.js'
import type { Replica } from './cluster/replica.js'
import type { Fault } from './faults/faults.js'
import { type Event, eventsOf, writeHistory } from './history.js'
import { startLoad } from './load/load.js'
import { seededRandom } from './random.js'

export type RunPlan = {
  readonly seed: number
  readonly replicas: number
  readonly postgres: PostgresServer | undefined
  readonly faults: readonly Fault[]
  /** Keeps the history even without a violation. */
  readonly keep: boolean
}

export type RunResult = {
  readonly violations: readonly Violation[]
  readonly hasPooler: boolean
  readonly calls: number
  readonly done: number
  readonly seconds: number
  readonly file: string | undefined
}

/** Runs a new cluster under load, with these faults one after the other. */
export async function runOnce({ seed, replicas, postgres, faults, keep }: RunPlan): Promise<RunResult> {
  const began = performance.now()
  const random = seededRandom(seed)
  const ownClocks = faults.some(({ name }) => name === 'clock')
  const spool = faults.some(({ needsSpool }) => needsSpool === true)
  const hasPooler = postgres !== undefined && pgBouncerFound && random() < 0.5
  const cluster = await startCluster({ replicas, ownClocks, hasPooler, spool, ...(postgres && { postgres }) })
  const history: Event[] = [
    { kind: 'limit', tool: 'limited', ...limit },
    { kind: 'digest-key', key: cluster.digestKey },
  ]
  const note = (event: Event) => void history.push(event)
  try {
    const load = startLoad({ cluster, random, note })
    for (const fault of faults) {
      await allServe(cluster.replicas)
      const tell = (phase: 'begun' | 'ended') => {
        if (fault.name !== 'none') note({ kind: 'fault', fault: fault.name, phase, at: Date.now() })
      }
      tell('begun')
      await fault.run({ cluster, postgres, random })
      tell('ended')
      for (const client of await load.recovered()) note({ kind: 'recovered', ...client })
    }
    await load.stop()
    await Promise.all(cluster.replicas.map((replica) => replica.stop()))
    history.push(...cluster.executed(), ...cluster.balancer.lostSessions(), ...(await readTables(cluster)))
    const violations = checkHistory(history)
    return {
      violations,
      hasPooler,
      ...countsOf(history),
      seconds: (performance.now() - began) / 1_000,
      file: await kept(violations),
    }
  } finally {
    await cluster.close()
  }

  async function kept(violations: readonly Violation[]): Promise<string | undefined> {
    if (violations.length === 0 && !keep) return undefined
    const folder = mkdtempSync(join(tmpdir(), 'toolwire-fleet-history-'))
    await writeHistory(join(folder, 'history.jsonl'), history)
    writeFileSync(join(folder, 'violations.json'), JSON.stringify(violations, null, 2))
    for (const replica of cluster.replicas) writeFileSync(join(folder, `${replica.name}.log`), replica.log())
    return join(folder, 'history.jsonl')
  }
}

const patienceMs = 15_000

/** Waits until every replica is ready and the balancer has noticed. A replica that never is has failed its clients, so the run goes on. */
async function allServe(replicas: readonly Replica[]): Promise<void> {
  await Promise.race([Promise.all(replicas.map((replica) => replica.ready())), pause(patienceMs, undefined, { ref: false })])
  await pause(1_500)
}

function countsOf(history: readonly Event[]) {
  return {
    calls: eventsOf(history, 'sent').length,
    done: eventsOf(history, 'answered').filter(({ how }) => how === 'done').length,
  }
}
