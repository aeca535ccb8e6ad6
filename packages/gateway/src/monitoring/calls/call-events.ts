// Calls as events: one for each call, or periodic summaries when there are more than anybody can watch.
import type { JsonObject } from 'toolwire'
import type { Progress } from 'toolwire/client'
import type { EventFeed } from '../event-feed.js'
import type { RunningCall } from './running-calls.js'

export type CallEnding = { readonly outcome: string; readonly reason?: string }

type Parts = {
  readonly events: EventFeed
  /** Returns the arguments as they may be shown; called only while somebody watches. */
  readonly shown: (runningCall: RunningCall) => JsonObject
}

const mostEachSecond = 200
const windowMs = 1_000
const summaryEveryMs = 500
const progressEveryMs = 100

type Summary = { begun: number; readonly ended: { [outcome: string]: number }; readonly over: number[] }

export class CallEvents {
  readonly #parts: Parts
  #windowEnds = 0
  #count = 0
  #countBefore = 0
  #summary: Summary | undefined

  constructor(parts: Parts) {
    this.#parts = parts
  }

  begun(runningCall: RunningCall, now: number): void {
    if (!this.#hasRoom(now)) {
      this.#currentSummary().begun++
      return
    }
    const { events, shown } = this.#parts
    runningCall.isReported = true
    events.add('call', { what: 'begun', ...aboutOf(runningCall), ...(events.watched && shown(runningCall)) })
  }

  progress(runningCall: RunningCall, progress: Progress, now: number): void {
    if (!this.#parts.events.watched || now - runningCall.progressReportedAt < progressEveryMs || !this.#hasRoom(now)) return
    runningCall.progressReportedAt = now
    this.#parts.events.add('call', { what: 'progress', ...aboutOf(runningCall), ...progress })
  }

  /** Reports that a call begins or stops waiting for a person. */
  waiting(runningCall: RunningCall): void {
    const { waiting } = runningCall
    this.#parts.events.add('call', { what: 'waiting', ...aboutOf(runningCall), ...(waiting !== undefined && { waiting }) })
  }

  ended(runningCall: RunningCall, ending: CallEnding, now: number): void {
    if (this.#hasRoom(now)) {
      const { record, startedAt } = runningCall
      const how = { ...ending, ms: Math.round(now - startedAt), ...(record !== undefined && { record }) }
      this.#parts.events.add('call', { what: 'ended', ...aboutOf(runningCall), ...how })
      return
    }
    const summary = this.#currentSummary()
    summary.ended[ending.outcome] = (summary.ended[ending.outcome] ?? 0) + 1
    // Watchers that saw the call begin must see it end.
    if (runningCall.isReported) summary.over.push(runningCall.id)
  }

  /** True if a call gets an event of its own: neither this second nor the one before has had too many. */
  #hasRoom(now: number): boolean {
    if (now >= this.#windowEnds) {
      this.#countBefore = now < this.#windowEnds + windowMs ? this.#count : 0
      this.#count = 0
      this.#windowEnds = now + windowMs
    }
    this.#count++
    return this.#count <= mostEachSecond && this.#countBefore <= mostEachSecond
  }

  #currentSummary(): Summary {
    if (!this.#summary) {
      this.#summary = { begun: 0, ended: {}, over: [] }
      setTimeout(() => this.#sendSummary(), summaryEveryMs).unref()
    }
    return this.#summary
  }

  #sendSummary(): void {
    const summary = this.#summary
    this.#summary = undefined
    if (summary) this.#parts.events.add('calls', { ...summary })
  }
}

const aboutOf = ({ id, call: { tool, caller }, server }: RunningCall): JsonObject => ({
  call: id,
  tool: tool.name,
  server,
  caller: caller.id,
})
