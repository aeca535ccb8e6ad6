import { realpathSync } from 'node:fs'
import type { GatewayConfig } from '../../config/index.js'
import { reachableHost } from '../../config/own-address.js'
import { isObject } from '../../json/is-object.js'
import { localTokenFor } from '../api/local-token.js'
import { type CommandInput, optionText } from '../command.js'
import { stringIn } from '../json-members.js'
import { gatewayUrl, localUrl } from '../target/target.js'
import { type DoctorFinding, okFinding, warningFinding } from './finding.js'

const patienceMs = 3_000

/** The named gateway, or the one that the config would start. */
export function gatewayOf(input: CommandInput, config: Pick<GatewayConfig, 'host' | 'port'> | undefined): string {
  const { env, options } = input
  const named = optionText(input, 'gateway') ?? optionText(input, 'url')
  const port = optionText(input, 'port')
  if (named !== undefined) return gatewayUrl({ env, options: { ...options, gateway: named } })
  if (port !== undefined) return localUrl(port, '--port')
  if (env.TOOLWIRE_URL || env.TOOLWIRE_PORT || !config || config.port === 0) return gatewayUrl(input)
  return `http://${reachableHost(config.host)}:${config.port}`
}

/** Is a gateway running, and what time is it there? */
export async function checkGateway(url: string, env: CommandInput['env']) {
  const own = env.TOOLWIRE_API_KEY ? { token: env.TOOLWIRE_API_KEY, url } : localTokenFor(url, env)
  const headers = own && { authorization: `Bearer ${own.token}` }
  const asking = { signal: AbortSignal.timeout(patienceMs), redirect: 'error', ...(headers && { headers }) } as const
  const response = await fetch(`${own?.url ?? url}/health`, asking).catch(() => undefined)
  if (!response) {
    const findings = [warningFinding('gateway', `no gateway answers at ${url}. Start it with toolwire up`)]
    return { url, answers: false, findings, date: undefined }
  }
  const date = Date.parse(response.headers.get('date') ?? '')
  const troubles = troublesIn(await response.json().catch(() => undefined)) // another program may answer there
  const head = response.ok
    ? okFinding('gateway', `answers at ${url}`)
    : warningFinding('gateway', `${url} answers with HTTP ${response.status}. See toolwire status --gateway ${url}`)
  const findings = [head, ...troubles.map((trouble) => warningFinding('gateway', trouble))]
  return { url, answers: true, findings, date: Number.isNaN(date) ? undefined : date }
}

/** The problems of the gateway. Only callers who may manage it get the details. */
function troublesIn(health: unknown): readonly string[] {
  if (!isObject(health)) return []
  if (Array.isArray(health.troubles)) return health.troubles.map(String)
  return health.status === 'degraded' ? ['it reports a problem; see toolwire status'] : []
}

/** Does the running gateway serve the config that is checked here? Only the account of the gateway can tell. */
export function checkServedConfig(url: string, checked: string | undefined, env: CommandInput['env']): DoctorFinding[] {
  const places = localTokenFor(url, env)?.places
  if (!places) return []
  const served = stringIn(places, 'source')
  if (served === checked || (served !== undefined && checked !== undefined && realPath(served) === realPath(checked))) return []
  if (places.isShared === true) return [warningFinding('gateway', sharedConfigMessage(url, checked))]
  const itsOwn = served === undefined ? 'serves no config file' : `serves ${served}`
  const here = checked === undefined ? 'no config was found here' : `this checks ${checked}`
  const next = served === undefined ? 'Restart it with the config' : `Check its config with toolwire doctor ${served}`
  return [warningFinding('gateway', `the gateway at ${url} ${itsOwn}, but ${here}. ${next}`)]
}

const sharedConfigMessage = (url: string, checked: string | undefined): string =>
  `the gateway at ${url} serves the config in its database, but this checks ${checked}. Check that config with toolwire doctor in a folder without a config, or push this one with toolwire config push`

function realPath(path: string): string {
  try {
    return realpathSync(path)
  } catch {
    return path // it was removed
  }
}

const longestDriftMs = 5_000

/** Deadlines use a monotonic clock, but records and keys carry the time of day. */
export function checkClock(date: number | undefined, now: number = Date.now()): DoctorFinding {
  const earliest = Date.UTC(2026, 0, 1)
  const driftMs = Math.abs((date ?? now) - now)
  if (now < earliest) return warningFinding('clock', `says ${new Date(now).toISOString()}, which is long ago. Set the clock`)
  if (driftMs <= longestDriftMs) return okFinding('clock', new Date(now).toISOString())
  const seconds = Math.round(driftMs / 1000)
  return warningFinding('clock', `differs from the gateway's by ${seconds} s. Synchronize both clocks with NTP`)
}
