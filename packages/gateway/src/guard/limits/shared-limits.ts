import { type LimitStore, memoryLimits } from 'toolwire/guard'
import { redisLimits } from 'toolwire/redis'
import { countGateways } from './gateway-count.js'

export type SharedLimits = { readonly store: LimitStore; readonly close: () => Promise<void> }

/**
 * Where rates are counted: in this process, or in Redis together with other gateways. While it cannot be reached, each of them grants
 * its part.
 */
export async function sharedLimits(redisUrl: string | undefined, onNote: (words: string) => void): Promise<SharedLimits> {
  if (redisUrl === undefined) return { store: memoryLimits(), close: async () => undefined }
  const { createClient } = await loadRedis()
  const client = createClient({ url: redisUrl })
  const tell = onceEach(onNote)
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

/** Says that Redis is away, or is back, when that is news. */
function onceEach(onNote: (words: string) => void): (why: unknown) => void {
  let isAway = false
  return (why) => {
    if (isAway === (why !== undefined)) return
    isAway = why !== undefined
    const reason = why instanceof Error ? why.message : String(why)
    onNote(isAway ? `Redis cannot be reached: ${reason}; until it is back, limits are kept in this process` : 'Redis is back')
  }
}

async function loadRedis() {
  try {
    return await import('redis')
  } catch (cause) {
    throw new Error('REDIS_URL needs the package redis: npm install redis', { cause })
  }
}
