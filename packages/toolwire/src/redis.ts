// Rate limits that replicas share through Redis or a compatible store.

import { longestTimer } from './bounds/longest-timer.js'
import { type FallbackOptions, fallbackValues, withLocalFallback } from './policy/rate-limit/fallback.js'
import { microsecondsOf } from './policy/rate-limit/gcra.js'
import type { LimitStore } from './policy/rate-limit/store.js'
import { checkOptions, optionsOf } from './tools/checks/known-options.js'
import { someText } from './tools/checks/option-values.js'

/** A connected client: from `createClient` of the package `redis`, or any other with one of these methods. */
type RedisClient =
  | { sendCommand(command: string[], options?: { abortSignal?: AbortSignal }): Promise<unknown> }
  | { eval(script: string, options: { keys: string[]; arguments: string[] }): Promise<unknown> }

type RedisLimitOptions = FallbackOptions & {
  /** Prefix of every key; servers with the same prefix share their limits. */
  prefix?: string
}

const known = optionsOf<RedisLimitOptions>()(fallbackValues, { prefix: someText })

/**
 * Keeps rate limits in Redis, so that replicas share them by the clock of the Redis server. While Redis cannot be reached, each of the
 * `replicas` grants its share. Set an error handler on the client yourself.
 *
 * @example
 * ```ts
 * const limits = (client: Parameters<typeof redisLimits>[0]) => redisLimits(client, { replicas: 3 })
 * ```
 */
export function redisLimits(client: RedisClient, options: RedisLimitOptions): LimitStore {
  checkOptions('redisLimits()', options, known)
  const { prefix = 'toolwire:limit:', ...fallback } = options
  const { withinMs = 250 } = fallback
  const run =
    'sendCommand' in client
      ? bySha(client, withinMs)
      : (key: string, args: string[]) => client.eval(script, { keys: [key], arguments: args })
  const store: LimitStore = { take: async (key, limit) => millisecondsIn(await run(prefix + key, microsecondsOf(limit))) }
  return withLocalFallback(store, fallback)
}

/** Sends the script's hash, and the script itself only to a server that does not know it. */
function bySha(client: Extract<RedisClient, { sendCommand: unknown }>, withinMs: number) {
  let hash: Promise<string> | undefined
  return async (key: string, args: string[]): Promise<unknown> => {
    hash ??= sha1(script)
    const rest = ['1', key, ...args]
    // A disconnected client queues commands, so each is aborted once its caller no longer waits for it.
    const options = { abortSignal: AbortSignal.timeout(Math.min(withinMs, longestTimer)) }
    try {
      return await client.sendCommand(['EVALSHA', await hash, ...rest], options)
    } catch (thrown) {
      if (!(thrown instanceof Error && thrown.message.startsWith('NOSCRIPT'))) throw thrown
      return client.sendCommand(['EVAL', script, ...rest], options)
    }
  }
}

async function sha1(text: string): Promise<string> {
  const digest = await crypto.subtle.digest('SHA-1', new TextEncoder().encode(text))
  return Array.from(new Uint8Array(digest), (byte) => byte.toString(16).padStart(2, '0')).join('')
}

function millisecondsIn(answer: unknown): number {
  // Some clients give whole numbers as text.
  const microseconds = typeof answer === 'string' && answer !== '' ? Number(answer) : answer
  if (typeof microseconds !== 'number' || !(microseconds >= 0))
    throw new TypeError('Redis returned no valid number of microseconds')
  return microseconds / 1_000
}

/** A stored time too far ahead is from before the clock was set back or the limit lowered, so it counts as no calls left. */
const script = `
local time = redis.call('TIME')
local now = tonumber(time[1]) * 1000000 + tonumber(time[2])
local each, room = tonumber(ARGV[1]), tonumber(ARGV[2])
local whole = tonumber(redis.call('GET', KEYS[1]) or 0) or 0
whole = math.min(math.max(whole, now), now + room) + each
local wait = whole - now - room
if wait > 0 then return wait end
redis.call('SET', KEYS[1], string.format('%.0f', whole), 'PX', math.ceil((whole - now) / 1000))
return 0
`
