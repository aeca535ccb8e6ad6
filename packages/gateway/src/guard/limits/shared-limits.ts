import { type LimitStore, memoryLimits } from 'toolwire/guard'
import { postgresStores } from 'toolwire/postgres'
import { redisLimits } from 'toolwire/redis'
import type { Fleet } from '../../store/store.js'
import { countGateways } from './gateway-count.js'

const countEveryMs = 2_000
/** Each call waits for it, but once it has not answered in time, replicas no longer count together. */
const answersWithinMs = 1_000

export type SharedLimits = { readonly store: LimitStore; readonly close: () => Promise<void> }

/**
 * Where rates are counted: in this process, or together with other gateways in Redis or in the store that they share. While that cannot
 * be reached, each of them grants its part.
 */
export async function sharedLimits(
  { redisUrl, fleet }: { readonly redisUrl: string | undefined; readonly fleet: Fleet | undefined },
  onNote: (words: string) => void,
): Promise<SharedLimits> {
  if (redisUrl !== undefined) return limitsInRedis(redisUrl, onceEach('Redis', onNote))
  if (fleet) return limitsInPostgres(fleet, onceEach('PostgreSQL', onNote))
  return { store: memoryLimits(), close: async () => undefined }
}

type Tell = ReturnType<typeof onceEach>

async function limitsInPostgres({ postgres, replicas }: Fleet, tell: Tell): Promise<SharedLimits> {
  const pool = { query: async (text: string, values?: unknown[]) => ({ rows: await postgres.sql(text, values) }) }
  const counted = (replicas: number) =>
    postgresStores(pool, {
      replicas,
      withinMs: answersWithinMs,
      onChange: (change) => tell(change.shared ? undefined : change.why),
    })
  const alone = counted(1)
  await alone.migrate()
  let store = alone.limits
  let known = 1
  const look = async () => {
    const { length: count } = await replicas()
    if (count === known || count === 0) return
    known = count
    store = counted(count).limits
  }
  await look()
  // While PostgreSQL is away there are as many as there were.
  const timer = setInterval(() => void look().catch(() => undefined), countEveryMs).unref()
  return {
    store: { take: (key, limit, now) => store.take(key, limit, now) },
    close: async () => clearInterval(timer),
  }
}

async function limitsInRedis(redisUrl: string, tell: Tell): Promise<SharedLimits> {
  const { createClient } = await loadRedis()
  const client = createClient({ url: redisUrl })
  const counted = (replicas: number) =>
    redisLimits(client, { replicas, onChange: (change) => tell(change.shared ? undefined : change.why) })
  let store = counted(1)
  client.on('error', tell)
  client.on('ready', () => tell(undefined))
  // It goes on trying, and until it is there this process counts for itself.
  client.connect().catch(tell)
  const stop = countGateways(client, (gateways) => {
    store = counted(gateways)
  })
  return {
    store: { take: (key, limit, now) => store.take(key, limit, now) },
    async close() {
      stop()
      if (client.isOpen) client.destroy()
    },
  }
}

/** Says that it is away, or is back, when that is news. */
function onceEach(what: 'Redis' | 'PostgreSQL', onNote: (words: string) => void): (why: unknown) => void {
  let isAway = false
  return (why) => {
    if (isAway === (why !== undefined)) return
    isAway = why !== undefined
    const reason = why instanceof Error ? why.message : String(why)
    onNote(isAway ? `${what} cannot be reached: ${reason}; until it is back, limits are kept in this process` : `${what} is back`)
  }
}

async function loadRedis() {
  try {
    return await import('redis')
  } catch (cause) {
    throw new Error('REDIS_URL needs the package redis: npm install redis', { cause })
  }
}
