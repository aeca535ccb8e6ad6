import { Refusal } from 'toolwire'
import { type ToolCall, withLocalFallback } from 'toolwire/guard'
import { describe, expect, it } from 'vitest'
import { Shutdown } from '../../src/guard/shutdown.js'
import { CallObserver } from '../../src/monitoring/call-observer.js'
import { EventFeed } from '../../src/monitoring/event-feed.js'
import { Metrics } from '../../src/monitoring/metrics.js'

type Next = (call: ToolCall) => Promise<never>

function observing() {
  const shutdown = new Shutdown()
  const events = new EventFeed()
  const observer = new CallObserver({
    events,
    metrics: new Metrics(),
    onArrival: (call) => shutdown.noteArrival(call),
    showArguments: () => ({}),
    log: { last: undefined },
  })
  // The members of a call that the policies here read.
  const callBy = (caller: object, tool = 'notes__read') =>
    ({ tool: { name: tool, definition: { server: 'notes' } }, caller, context: { cancelToken: {} } }) as unknown as ToolCall
  const refused = async (tool: string, next: Next) => {
    await expect(observer.call(callBy({ id: 'eve', scopes: [] }, tool), next)).rejects.toThrow(Refusal)
  }
  return { observer, events, shutdown, callBy, refused }
}

it('running calls have ids that differ from those of earlier runs of the gateway', () => {
  const ids = Array.from({ length: 3 }, () => {
    const { observer, callBy } = observing()
    return observer.runningCalls.begin(callBy({ id: 'eve', scopes: [] }), 0).id
  })
  expect(new Set(ids).size).toBe(3)
})

it('progress is shown with the beginning of a long message, and otherwise unchanged', async () => {
  const { observer, events, callBy } = observing()
  const messages: unknown[] = []
  events.onEvent(({ data }) => data.what === 'progress' && messages.push(data.message))
  const call = callBy({ id: 'eve', scopes: [] })
  await observer.call(call, async () => {
    observer.progressed(call.context, { progress: 1, total: 2, message: 'é'.repeat(1_000_000) })
    expect(observer.runningCalls.list()).toMatchObject([
      { progress: { progress: 1, total: 2, message: `${'é'.repeat(1_000)}…` } },
    ])
    observer.progressed(call.context, { progress: 2, message: 'nearly done' })
    expect(observer.runningCalls.list()).toMatchObject([{ progress: { progress: 2, message: 'nearly done' } }])
    return { content: [], isError: false }
  })
  // Further progress within a tenth of a second has no event.
  expect(messages).toEqual([`${'é'.repeat(1_000)}…`])
})

it('an error result counts as a cancellation if the call was cancelled', async () => {
  const { observer, events, callBy } = observing()
  const outcomes: unknown[] = []
  events.onEvent(({ data }) => data.outcome && outcomes.push(data.outcome))
  for (const aborted of [false, true]) {
    const call = { ...callBy({ id: 'eve', scopes: [] }), context: { cancelToken: { aborted } } } as ToolCall
    await observer.call(call, async () => ({ content: [], isError: true }))
  }
  expect(outcomes).toEqual(['error', 'cancelled'])
})

describe('reached limits', () => {
  it('are those of rates and of concurrent calls', async () => {
    const { observer, refused } = observing()
    await refused('fast', () => Promise.reject(new Refusal('rate-limited', 'too often')))
    await refused('wide', () => Promise.reject(new Refusal('busy', 'too many at once')))
    const { limits, total } = observer.stats.view(60, 'tool')
    expect(limits.map(({ tool }) => tool).sort()).toEqual(['fast', 'wide'])
    expect(total.limited.at(-1)).toBe(2)
  })

  it('exclude shutdowns, and limits that cannot be looked up', async () => {
    const { observer, shutdown, refused } = observing()
    const away = withLocalFallback({ take: () => Promise.reject(new Error('away')) }, { replicas: 0 })
    const taken = Promise.resolve(away.take('key', { calls: 1, per: 'minute' }, 0))
    await refused('unknown', async () => Promise.reject(await taken.catch((why: unknown) => why)))
    shutdown.begin()
    await refused(
      'late',
      (call) => shutdown.policy.call?.(call, () => Promise.reject(new Error('let through'))) as Promise<never>,
    )
    const { limits, total } = observer.stats.view(60, 'tool')
    expect(limits).toEqual([])
    expect([total.refused.at(-1), total.limited.at(-1)]).toEqual([2, 0])
  })
})

describe('known callers', () => {
  it('are those of the latest calls, however early their first call was', async () => {
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
