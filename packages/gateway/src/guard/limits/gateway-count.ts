// Counts the gateways that share one Redis. Each gateway sends a heartbeat; one without a recent heartbeat is not counted.
import { randomUUID } from 'node:crypto'
import { latestMaximum } from '../../bounds/latest-maximum.js'

type RedisCommands = { sendCommand(command: string[], options?: { abortSignal?: AbortSignal }): Promise<unknown> }

const key = 'toolwire:gateways'
const everyMs = 2_000
const goneAfterMs = 10_000
/** Half a minute without an outage. */
const countedLookups = 15

const script = `
local time = redis.call('TIME')
local now = tonumber(time[1]) * 1000 + math.floor(tonumber(time[2]) / 1000)
redis.call('ZADD', KEYS[1], now, ARGV[1])
redis.call('ZREMRANGEBYSCORE', KEYS[1], '-inf', now - tonumber(ARGV[2]))
redis.call('PEXPIRE', KEYS[1], ARGV[2])
return redis.call('ZCARD', KEYS[1])
`

/** Calls `onCount` whenever the largest recent number changes, until the returned function is called. */
export function countGateways(client: RedisCommands, onCount: (gateways: number) => void): () => void {
  const self = randomUUID()
  const countOf = latestMaximum(countedLookups)
  let known = 1
  const look = async () => {
    const command = ['EVAL', script, '1', key, self, String(goneAfterMs)]
    const found = Number(await client.sendCommand(command, { abortSignal: AbortSignal.timeout(everyMs) }))
    const count = found >= 1 ? countOf(found) : known
    if (count === known) return
    known = count
    onCount(count)
  }
  // While Redis cannot be reached, the last known number stays.
  const work = () => void look().catch(() => undefined)
  work()
  const timer = setInterval(work, everyMs).unref()
  return () => clearInterval(timer)
}
