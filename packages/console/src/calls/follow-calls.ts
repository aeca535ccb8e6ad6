// What is under way and what has just ended, followed for as long as the page is open, whichever view is shown.
import { signal } from '@preact/signals'
import { getJson } from '../api/api.js'
import { onGatewayEvents } from '../api/event-feed.js'
import type { AuditPage, Call, Calls, EventData } from '../api/types.js'
import { type FinishedCall, finishedCall, recordedCall } from './finished-call.js'
import { LastMinute } from './last-minute.js'
import { RunningCalls } from './running-calls.js'

/** Ten times a second is as much as anybody can follow. */
const restMs = 100

/** A page that nobody sees has no frames. */
const patienceMs = 250

/** Calls back with the next frame, once however often it is asked; after a rest where it was asked just before. */
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
/** The latest first. */
export const finishedCalls = signal<readonly FinishedCall[]>([])
/** How many calls ended of which nothing else is known, because there were too many to tell of each. */
export const untoldCount = signal<{ readonly [outcome: string]: number }>({})

export const lastMinute = new LastMinute()

const mostFinished = 2_000
const mostRecorded = 200
const running = new RunningCalls()
let ended: FinishedCall[] = []
let last = 0
/** Ids of the calls that the log was asked for: their end may be heard of after that. */
let looked: ReadonlySet<string | undefined> = new Set()

const show = oncePerFrame(() => {
  runningCalls.value = running.all
  if (ended.length === 0) return
  finishedCalls.value = [...ended.reverse(), ...finishedCalls.value].slice(0, mostFinished)
  ended = []
})

function onCall(event: EventData['call']): void {
  running.take(event)
  if (event.what === 'ended' && !(event.record !== undefined && looked.has(event.record))) {
    lastMinute.add(event.at, event.outcome)
    ended.push(finishedCall(++last, event))
    if (ended.length > mostFinished) ended = ended.slice(-mostFinished)
  }
  show()
}

function onMany({ at, ended, over = [] }: EventData['calls']): void {
  for (const id of over) running.end(id)
  const sum = { ...untoldCount.value }
  for (const [outcome, count] of Object.entries(ended)) {
    sum[outcome] = (sum[outcome] ?? 0) + count
    lastMinute.add(at, outcome, count)
  }
  untoldCount.value = sum
  show()
  askSoon()
}

/** Asks the gateway what is under way; events go on being heard meanwhile. */
async function loadUnderWay(): Promise<void> {
  running.expectList()
  const { calls } = await getJson<Calls>('/calls')
  running.replace(calls)
  show()
}

/** What ended before this page was open, or while it did not hear of it, as far as the log has it. */
async function loadFinished(): Promise<void> {
  const { calls } = await getJson<AuditPage>('/audit', { limit: mostRecorded })
  const known = new Set([...finishedCalls.value, ...ended].map(({ record }) => record))
  const missed = calls.filter(({ call }) => !known.has(call)).reverse()
  // What comes first here is older than all that is shown: its keys go down from there.
  const isFirst = finishedCalls.value.length === 0 && ended.length === 0
  const found = missed.flatMap((call, at) => recordedCall(isFirst ? at - missed.length : ++last, call) ?? [])
  looked = new Set(found.map(({ record }) => record))
  if (isFirst) for (const { at, outcome } of found) lastMinute.add(at, outcome)
  finishedCalls.value = [...found.reverse(), ...finishedCalls.value].sort((a, b) => b.at - a.at).slice(0, mostFinished)
}

const betweenListsMs = 1_000
const slowMs = 15_000
let asking: ReturnType<typeof setTimeout> | undefined

function askSoon(): void {
  asking ??= setTimeout(() => {
    asking = undefined
    // What cannot be loaded now is asked for again with the next event.
    loadUnderWay().catch(() => undefined)
  }, betweenListsMs)
}

/** Follows the calls until the signal aborts. */
export function followCalls(signal: AbortSignal): void {
  // The log can be searched in its view: without what was before, calls are shown as they end.
  const lookBack = () => void loadFinished().catch(() => undefined)
  onGatewayEvents(['call'], onCall, signal)
  onGatewayEvents(['calls'], onMany, signal)
  onGatewayEvents(['missed'], askSoon, signal)
  onGatewayEvents(['missed'], lookBack, signal)
  // An end that was never heard of would stay for ever.
  const timer = setInterval(() => running.size > 0 && askSoon(), slowMs)
  signal.addEventListener('abort', () => {
    clearInterval(timer)
    clearTimeout(asking)
    asking = undefined
  })
  lookBack()
  loadUnderWay().catch(() => signal.aborted || askSoon())
}
