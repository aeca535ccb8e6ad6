// Deliberate faults. Each one is repaired before it ends; the product must then recover by itself.
import { setTimeout as pause } from 'node:timers/promises'
import pg from 'pg'
import type { PostgresServer } from '../../../packages/toolwire/test/postgres-server.js'
import type { Cluster } from '../cluster/cluster.js'
import { pick } from '../random.js'

export type Scene = { readonly cluster: Cluster; readonly postgres: PostgresServer | undefined; readonly random: () => number }

export type Fault = {
  readonly name: string
  readonly what: string
  readonly needsPostgres: boolean
  /** The run lets replicas keep records on their own disk while PostgreSQL is unreachable. */
  readonly needsSpool?: true
  run(scene: Scene): Promise<void>
}

const anyReplica = ({ cluster, random }: Scene) => pick(cluster.replicas, random)

/** Longer than a lease. */
const freezeMs = 12_000

export const faults: readonly Fault[] = [
  {
    name: 'none',
    what: 'no fault for five seconds',
    needsPostgres: false,
    run: () => pause(5_000),
  },
  {
    name: 'kill',
    what: 'a replica is killed (kill -9) and starts again',
    needsPostgres: false,
    async run(scene) {
      const replica = anyReplica(scene)
      await replica.kill()
      await pause(500)
      await replica.start()
    },
  },
  {
    name: 'freeze',
    what: 'a replica is stopped for 12 s (SIGSTOP), longer than a lease, and continues',
    needsPostgres: false,
    async run(scene) {
      const replica = anyReplica(scene)
      replica.signal('SIGSTOP')
      await pause(freezeMs)
      replica.signal('SIGCONT')
    },
  },
  {
    name: 'database',
    what: 'PostgreSQL is killed (kill -9) and starts again',
    needsPostgres: true,
    async run({ postgres, random }) {
      await postgres?.kill()
      await pause(500 + random() * 1_500)
      await postgres?.start()
    },
  },
  {
    name: 'spool',
    what: 'PostgreSQL is down for eight seconds, and replicas keep their records on their own disk meanwhile',
    needsPostgres: true,
    needsSpool: true,
    async run({ postgres }) {
      await postgres?.kill()
      await pause(8_000)
      await postgres?.start()
    },
  },
  {
    name: 'cut',
    what: 'connections to PostgreSQL are cut, again and again, and refused for a second',
    needsPostgres: true,
    async run({ cluster: { proxy }, random }) {
      for (let time = 0; time < 4; time++) {
        proxy?.cut()
        await pause(random() * 400)
      }
      proxy?.refuse(true)
      proxy?.cut()
      await pause(1_000)
      proxy?.refuse(false)
    },
  },
  {
    name: 'delay',
    what: 'each message to and from PostgreSQL takes 150 ms longer',
    needsPostgres: true,
    async run({ cluster: { proxy } }) {
      proxy?.delay(150)
      await pause(3_000)
      proxy?.delay(0)
    },
  },
  {
    name: 'pool',
    what: 'other programs take every connection that PostgreSQL has',
    needsPostgres: true,
    run: exhaustConnections,
  },
  {
    name: 'clock',
    what: 'the clock of a replica jumps by an hour, ahead or back, for five seconds (libfaketime)',
    needsPostgres: false,
    async run(scene) {
      const replica = anyReplica(scene)
      replica.setClock(scene.random() < 0.5 ? 3_600 : -3_600)
      await pause(5_000)
      const aheadMs = await replica.clockAheadMs()
      if (Math.abs(aheadMs) < 3_500_000) throw new Error(`libfaketime has not set the clock: it is ${aheadMs} ms ahead`)
      replica.setClock(0)
    },
  },
  {
    name: 'rolling',
    what: 'all replicas are restarted, one after the other (SIGTERM)',
    needsPostgres: false,
    async run({ cluster: { replicas } }) {
      for (const replica of replicas) {
        await replica.stop()
        await replica.start()
        // Until the balancer has noticed the replica.
        await replica.ready()
        await pause(1_000)
      }
    },
  },
]

/** Closes the replicas' connections, and takes their slots before the replicas reconnect. */
async function exhaustConnections({ cluster: { database, proxy } }: Scene): Promise<void> {
  const taken: pg.Client[] = []
  const until = performance.now() + 3_000
  while (performance.now() < until) {
    const client = new pg.Client({ connectionString: database })
    client.on('error', () => undefined)
    const isIn = await client.connect().then(
      () => true,
      () => false,
    )
    if (isIn) taken.push(client)
    else {
      proxy?.cut()
      await pause(50)
    }
  }
  await Promise.all(taken.map((client) => client.end().catch(() => undefined)))
}
