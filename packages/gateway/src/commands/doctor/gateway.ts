import { isObject } from '../json.js'
import type { Input } from '../spec.js'
import { gatewayUrl } from '../target/place.js'
import { doubtful, type Finding, fine } from './finding.js'

/** Whether a gateway runs, and what its clock says. */
export type Reached = { readonly finding: Finding; readonly answers: boolean; readonly date?: number }

const patienceMs = 3_000

export async function checkGateway(input: Input): Promise<Reached> {
  const url = gatewayUrl(input)
  try {
    const response = await fetch(`${url}/health`, { signal: AbortSignal.timeout(patienceMs), redirect: 'error' })
    const date = Date.parse(response.headers.get('date') ?? '')
    const answer = { answers: true, ...(!Number.isNaN(date) && { date }) }
    if (response.ok) return { ...answer, finding: findingOf(url, await healthIn(response)) }
    return { ...answer, finding: doubtful('gateway', `${url} answers with HTTP ${response.status}: look at toolwire status`) }
  } catch {
    return { answers: false, finding: doubtful('gateway', `none answers at ${url}; start it with toolwire up`) }
  }
}

type Health = { readonly status?: unknown; readonly troubles?: unknown }

async function healthIn(response: Response): Promise<Health> {
  const body: unknown = await response.json().catch(() => undefined) // what answers there may be something else
  return isObject(body) ? body : {}
}

/** What it is in trouble about, such as definitions that are kept back, it tells those who may manage it. */
function findingOf(url: string, { status, troubles }: Health): Finding {
  if (status !== 'degraded') return fine('gateway', `answers at ${url}`)
  const why = Array.isArray(troubles) && troubles.length > 0 ? troubles.join('; ') : 'look at toolwire status'
  return doubtful('gateway', `answers at ${url}, and not all is well there: ${why}`)
}

const longestDriftMs = 5_000

/** Deadlines and approvals are counted by a clock that only goes forward; records and keys carry the time of day. */
export function checkClock({ date }: Reached, now: number = Date.now()): Finding[] {
  const earliest = Date.UTC(2026, 0, 1)
  if (now < earliest) return [doubtful('clock', `says ${new Date(now).toISOString()}, which is long ago; set it`)]
  if (date !== undefined && Math.abs(date - now) > longestDriftMs)
    return [doubtful('clock', `differs from the gateway's by ${Math.round(Math.abs(date - now) / 1000)} s; set both by NTP`)]
  return [fine('clock', new Date(now).toISOString())]
}
