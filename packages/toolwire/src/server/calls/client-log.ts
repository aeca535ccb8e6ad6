import { TokenBucket } from '../../bounds/token-bucket.js'
import type { Json, JsonObject } from '../../json.js'
import { isSecretMember } from '../../text/secrets/sensitive-names.js'
import { type Log, type LogLevel, logLevels } from '../../tools/context.js'
import type { SendNotification } from './progress-reporter.js'

/** Sends log messages to the client, from the given level up; none if the level is undefined. */
export function clientLog(level: () => LogLevel | undefined, send: SendNotification): Log {
  const throttle = new TokenBucket()
  let dropped = 0
  const log = (at: LogLevel, data: Json, logger?: string): void => {
    const least = level()
    if (least === undefined || logLevels.indexOf(at) < logLevels.indexOf(least)) return
    if (!throttle.take()) {
      dropped++
      return
    }
    const params: JsonObject = { level: at, data: redacted(data), ...(logger !== undefined && { logger }) }
    if (dropped > 0) params._meta = { 'dev.toolwire/dropped': dropped }
    dropped = 0
    send('notifications/message', params)
  }
  const levels = logLevels.map((at) => [at, (data: Json, logger?: string) => log(at, data, logger)])
  return Object.assign(log, Object.fromEntries(levels) as { [L in LogLevel]: Log[L] }) // one for each, by construction
}

/** Redacts members whose names suggest a secret before data goes to the client. */
const redacted = (data: Json): Json =>
  JSON.parse(JSON.stringify(data, (key, value) => (isSecretMember(key, value) ? '[redacted]' : value)) ?? 'null')
