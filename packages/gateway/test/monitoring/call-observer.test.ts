import type { ToolCall } from 'toolwire/guard'
import { describe, expect, it } from 'vitest'
import { CallObserver } from '../../src/monitoring/call-observer.js'
import { EventFeed } from '../../src/monitoring/event-feed.js'
import { Metrics } from '../../src/monitoring/metrics.js'

function observing() {
  const observer = new CallObserver({
    events: new EventFeed(),
    metrics: new Metrics(),
    onArrival: () => undefined,
    showArguments: () => ({}),
    log: { last: undefined },
  })
  // As much of a call as the policies here look at.
  const callBy = (caller: object, tool = 'notes__read') =>
    ({ tool: { name: tool, definition: { server: 'notes' } }, caller, context: { cancelToken: {} } }) as unknown as ToolCall
  return { observer, callBy }
}

describe('known callers', () => {
  it('are those of the latest calls, however early they came first', async () => {
    const { observer, callBy } = observing()
    const [active, quiet] = [
      { id: 'active', scopes: [] },
      { id: 'quiet', scopes: [] },
    ]
    const done = () => Promise.resolve({ content: [], isError: false })
    for (const caller of [active, quiet]) await observer.call(callBy(caller), done)
    for (let n = 0; n < 199; n++) {
      await observer.call(callBy(active), done)
      await observer.call(callBy({ id: `caller ${n}`, scopes: [] }), done)
    }
    expect(observer.callers.list()).toHaveLength(200)
    expect(observer.callers.get('active')).toBe(active)
    expect(observer.callers.get('quiet')).toBeUndefined()
  })
})
