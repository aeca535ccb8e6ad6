import { type LimitStore, memoryLimits } from 'toolwire/guard'
import { postgresStores } from 'toolwire/postgres'
import { redisLimits } from 'toolwire/redis'
import { installHint } from '../../config/settings/install-hint.js'
import { type Postgres, poolOf } from '../../store/postgres/connection.js'
import { countGateways } from './gateway-count.js'

/** Timeout for the database's count, for which a call waits. After it, replicas no longer count together. */
const answersWithinMs = 1_000
/** A longer timeout, for calls that are refused without a count. */
const recordedWithinMs = 4_000

type LimitPlace = {
  readonly redisUrl: string | undefined
  /** The database of the store, if gateways share it. */
  readonly postgres: Postgres | undefined
  /** The number of gateways that share the database, as far as this gateway knows. */
  readonly gateways: () => number
}

export type SharedLimits = {
  readonly store: LimitStore
  /** For calls that wait for their audit record. If PostgreSQL counts them and cannot be reached, they are refused. */
  readonly ofRecordedCalls: LimitStore
  readonly close: () => Promise<void>
}

/**
 * Opens the store of rate limits: in this process, in Redis, or in the shared PostgreSQL. While a shared store cannot be reached, each
 * gateway grants its share, except for calls that need a record in PostgreSQL.
 */
export async function sharedLimits(
  { redisUrl, postgres, gateways }: LimitPlace,
  onNote: (words: string) => void,
): Promise<SharedLimits> {
  if (redisUrl !== undefined) return limitsInRedis(redisUrl, onceEach('Redis', onNote))
  if (postgres) return limitsInPostgres(postgres, gateways, onceEach('PostgreSQL', onNote))
  const store = memoryLimits()
  return { store, ofRecordedCalls: store, close: async () => undefined }
}

type Tell = ReturnType<typeof onceEach>

function limitsInPostgres(postgres: Postgres, gateways: () => number, tell: Tell): SharedLimits {
  const pool = poolOf(postgres)
  const { limits } = postgresStores(pool, {
    replicas: () => Math.max(1, gateways()),
    withinMs: answersWithinMs,
    onChange: (change) => tell(change.shared ? undefined : change.why),
  })
  const { limits: ofRecordedCalls } = postgresStores(pool, { replicas: 0, withinMs: recordedWithinMs })
  return { store: limits, ofRecordedCalls, close: async () => undefined }
}

async function limitsInRedis(redisUrl: string, tell: Tell): Promise<SharedLimits> {
  const { createClient } = await loadRedis()
  const client = createClient({ url: redisUrl })
  let known = 1
  const store = redisLimits(client, {
    replicas: () => known,
    onChange: (change) => tell(change.shared ? undefined : change.why),
  })
  client.on('error', tell)
  client.on('ready', () => tell(undefined))
  // The client keeps trying to connect; until it succeeds, this process counts by itself.
  client.connect().catch(tell)
  const stop = countGateways(client, (gateways) => {
    known = gateways
  })
  return {
    store,
    ofRecordedCalls: store,
    async close() {
      stop()
      if (client.isOpen) client.destroy()
    },
  }
}

/** Reports an outage and its end, each once. */
function onceEach(what: 'Redis' | 'PostgreSQL', onNote: (words: string) => void): (why: unknown) => void {
  let isAway = false
  return (why) => {
    if (isAway === (why !== undefined)) return
    isAway = why !== undefined
    const reason = why instanceof Error ? why.message : String(why)
    onNote(
      isAway
        ? `${what} cannot be reached: ${reason}. Until it answers, each gateway enforces its share of the rate limits`
        : `${what} can be reached again`,
    )
  }
}

async function loadRedis() {
  try {
    return await import('redis')
  } catch (cause) {
    throw new Error(`REDIS_URL needs the package redis. ${installHint('redis')}, or unset REDIS_URL.`, { cause })
  }
}
