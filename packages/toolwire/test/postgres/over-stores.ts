// One suite for all implementations of shared stores: in memory, where all replicas share one object, and in PostgreSQL, where each has its
// own pool.
import type pg from 'pg'
import { afterAll, beforeAll, describe } from 'vitest'
import { postgresStores } from '../../src/postgres/index.js'
import { type PostgresServer, postgresFound, postgresServer } from '../postgres-server.js'
import { replicaPools } from './replica-pools.js'

export type ReplicaStores = ReturnType<typeof postgresStores>

/** The stores of three replicas. */
export type Replicas<S> = () => readonly [S, S, S]

type Ways<S> = { memory: () => S; postgres: (stores: ReplicaStores) => S }

/** Passes `pool` to tests in PostgreSQL, for example to advance time. `outage` contains tests for a database that stops and recovers. */
export function overStores<S>(
  { memory, postgres }: Ways<S>,
  suite: (replicas: Replicas<S>, pool?: () => pg.Pool) => void,
  outage?: (replicas: Replicas<S>, server: () => PostgresServer) => void,
): void {
  describe('in memory', () => {
    const one = memory()
    suite(() => [one, one, one])
  })

  describe.runIf(postgresFound)('in PostgreSQL', () => {
    const { replicas, server, pool } = postgresReplicas()
    const all = (): [S, S, S] => {
      const [a, b, c] = replicas()
      return [postgres(a), postgres(b), postgres(c)]
    }
    let one: pg.Pool | undefined
    suite(all, () => {
      one ??= pool()
      return one
    })
    outage?.(all, server)
  })
}

/** Three replicas with one database, for the tests of the file or block. */
export function postgresReplicas() {
  let server: PostgresServer
  let pools: ReturnType<typeof replicaPools>
  let stores: [ReplicaStores, ReplicaStores, ReplicaStores]
  beforeAll(async () => {
    server = await postgresServer()
    pools = replicaPools(await server.database())
    const one = () => postgresStores(pools.pool(), { replicas: 3 })
    stores = [one(), one(), one()]
  })
  afterAll(async () => {
    await pools?.close()
    await server?.close()
  })
  return { replicas: () => stores, server: () => server, pool: () => pools.pool() }
}
