// Many calls a second, reported by the gateway's own event feed.
import type { ToolCall } from 'toolwire/guard'
import { CallEvents } from '../../../gateway/src/monitoring/calls/call-events.js'
import { RunningCalls } from '../../../gateway/src/monitoring/calls/running-calls.js'
import type { EventFeed } from '../../../gateway/src/monitoring/event-feed.js'

const tools = Array.from({ length: 40 }, (_, at) => `files__tool_${at}`)
const outcomes = ['ok', 'ok', 'ok', 'ok', 'error', 'refused'] as const

/** The fields of a call that its events use. */
const call = (number: number) =>
  ({
    tool: { name: tools[number % tools.length] },
    server: 'files',
    caller: { id: `caller ${number % 17}` },
    arguments: { number, text: 'some words '.repeat(1 + (number % 9)) },
    context: {},
  }) as unknown as ToolCall

export type Flood = { readonly made: number; stop(): void }

/** Makes calls that take up to half a second each. */
export function flood(events: EventFeed, each: { readonly second: number }): Flood {
  const callEvents = new CallEvents({ events, shown: ({ call: made }) => ({ arguments: made.arguments }) })
  const running = new RunningCalls()
  const began = performance.now()
  let made = 0
  const timer = setInterval(() => {
    const due = Math.floor(((performance.now() - began) / 1_000) * each.second)
    for (; made < due; made++) begin(made)
  }, 20)
  function begin(number: number): void {
    const runningCall = running.begin(call(number), performance.now())
    callEvents.begun(runningCall, performance.now())
    const outcome = outcomes[number % outcomes.length] ?? 'ok'
    setTimeout(() => callEvents.ended(runningCall, { outcome }, performance.now()), (number * 37) % 500)
  }
  return {
    get made() {
      return made
    },
    stop: () => clearInterval(timer),
  }
}
