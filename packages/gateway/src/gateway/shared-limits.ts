import { type LimitStore, limitsHere } from 'toolwire'
import { redisLimits } from 'toolwire/redis'

export type SharedLimits = { readonly store: LimitStore; readonly close: () => Promise<void> }

/** Where rates are counted: in this process, or in Redis together with other gateways. */
export async function sharedLimits(redisUrl: string | undefined, onTrouble: (words: string) => void): Promise<SharedLimits> {
  if (redisUrl === undefined) return { store: limitsHere(), close: async () => undefined }
  const { createClient } = await loadRedis()
  const client = createClient({ url: redisUrl })
  client.on('error', (thrown: Error) => onTrouble(`Redis: ${thrown.message}; limits are kept in this process until it is back`))
  // While it is not there, this process counts for itself.
  client.connect().catch((thrown: Error) => onTrouble(`Redis cannot be reached: ${thrown.message}`))
  return { store: redisLimits(client, { replicas: 1 }), close: async () => void client.destroy() }
}

async function loadRedis() {
  try {
    return await import('redis')
  } catch (cause) {
    throw new Error('redisUrl needs the package redis: npm install redis', { cause })
  }
}
