// Running and recently finished calls, followed while the page is open, in every view.
import { signal } from '@preact/signals'
import { getJson } from '../api/api.js'
import { onGatewayEvents } from '../api/event-feed.js'
import { oneAtATime } from '../api/one-at-a-time.js'
import type { AuditPage, Call, Calls, EventData } from '../api/types.js'
import { type LoadOutcome, loadedNow, notLoaded } from '../api/use-loaded.js'
import { type FinishedCall, finishedCall, recordedCall } from './finished-call.js'
import { LastMinute } from './last-minute.js'
import { RunningCalls } from './running-calls.js'

/** Minimum time between two updates: nobody can follow more than ten a second. */
const restMs = 100

/** A hidden page has no animation frames, so a timer takes their place after this time. */
const patienceMs = 250

/** Calls back in the next animation frame, once for all requests before it, and at most once per `restMs`. */
export function oncePerFrame(then: () => void): () => void {
  let fallback: ReturnType<typeof setTimeout> | undefined
  let last = 0
  function now(): void {
    if (fallback === undefined) return
    clearTimeout(fallback)
    fallback = undefined
    last = performance.now()
    then()
  }
  return () => {
    if (fallback !== undefined) return
    const rest = Math.max(0, last + restMs - performance.now())
    setTimeout(() => requestAnimationFrame(now), rest)
    fallback = setTimeout(now, rest + patienceMs)
  }
}

export const runningCalls = signal<readonly Call[]>([])
export const runningOutcome = signal<LoadOutcome>(notLoaded)
export const finishedCalls = signal<readonly FinishedCall[]>([])
/** Number of calls by outcome that the gateway has only counted, because there were too many. */
export const unlistedCounts = signal<{ readonly [outcome: string]: number }>({})

export const lastMinute = new LastMinute()

const mostFinished = 2_000
const mostRecorded = 200
const running = new RunningCalls()
let ended: FinishedCall[] = []
let last = 0
/** Ids of calls that were loaded from the log: their ending may still arrive as an event. */
let loadedRecords: ReadonlySet<string | undefined> = new Set()

const show = oncePerFrame(() => {
  runningCalls.value = running.all
  if (ended.length === 0) return
  finishedCalls.value = [...ended.reverse(), ...finishedCalls.value].slice(0, mostFinished)
  ended = []
})

function onCall(event: EventData['call']): void {
  running.take(event)
  if (event.what === 'ended' && !(event.record !== undefined && loadedRecords.has(event.record))) {
    lastMinute.add(event.at, event.outcome)
    ended.push(finishedCall(++last, event))
    if (ended.length > mostFinished) ended = ended.slice(-mostFinished)
  }
  show()
}

function onMany({ at, ended, over = [] }: EventData['calls']): void {
  for (const id of over) running.end(id)
  const sum = { ...unlistedCounts.value }
  for (const [outcome, count] of Object.entries(ended)) {
    sum[outcome] = (sum[outcome] ?? 0) + count
    lastMinute.add(at, outcome, count)
  }
  unlistedCounts.value = sum
  show()
}

/** Loads the running calls. Events that arrive meanwhile are applied too, so only one list may be loading. */
export async function loadRunning(signal?: AbortSignal): Promise<void> {
  running.expectList()
  try {
    const { calls } = await getJson<Calls>('/calls', {}, signal)
    running.replace(calls)
    runningOutcome.value = loadedNow()
    show()
  } catch (trouble) {
    if (!signal?.aborted) runningOutcome.value = { ...runningOutcome.value, trouble }
    throw trouble
  }
}

/** Loads calls from the log that ended before the page was open, or while it was disconnected. */
async function loadFinished(): Promise<void> {
  const { calls } = await getJson<AuditPage>('/audit', { limit: mostRecorded })
  const known = new Set([...finishedCalls.value, ...ended].map(({ record }) => record))
  const missed = calls.filter(({ call }) => !known.has(call)).reverse()
  // The calls of the first load are older than all that follow, so their keys count down.
  const isFirst = finishedCalls.value.length === 0 && ended.length === 0
  const found = missed.flatMap((call, at) => recordedCall(isFirst ? at - missed.length : ++last, call) ?? [])
  loadedRecords = new Set(found.map(({ record }) => record))
  // In the order in which they ended: the log has them in the order in which they began.
  found.sort((a, b) => a.at - b.at)
  if (isFirst) for (const { at, outcome } of found) lastMinute.add(at, outcome)
  finishedCalls.value = [...found.reverse(), ...finishedCalls.value].sort((a, b) => b.at - a.at).slice(0, mostFinished)
}

const betweenListsMs = 1_000
const slowMs = 15_000

/** Follows the calls until the signal aborts. */
export function followCalls(signal: AbortSignal): void {
  const askForList = oneAtATime(() => loadRunning(signal).catch(() => void (signal.aborted || askForList())), betweenListsMs)
  // A failure is harmless: calls are shown as they end, and older ones are in the audit view.
  const lookBack = () => void loadFinished().catch(() => undefined)
  onGatewayEvents(['call'], onCall, signal)
  onGatewayEvents(['calls'], onMany, signal)
  onGatewayEvents(['calls', 'missed'], askForList, signal)
  onGatewayEvents(['missed'], lookBack, signal)
  // Removes calls whose ending event was missed.
  const timer = setInterval(() => running.size > 0 && askForList(), slowMs)
  signal.addEventListener('abort', () => clearInterval(timer))
  lookBack()
  askForList()
}
