import { afterEach, describe, expect, it, vi } from 'vitest'
import { type ApprovalQueueOptions, approvalQueue } from '../../../src/policy/approve/approval-queue.js'
import { memoryGrants } from '../../../src/policy/approve/grants.js'
import { type ApproveOptions, approve } from '../../../src/policy/approve/index.js'
import { memoryApprovals } from '../../../src/policy/approve/memory-store.js'
import type { ToolCall } from '../../../src/tools/tool.js'
import { callOf, done, through } from '../call.js'
import { decideIn, waitingIn } from './pending-approval.js'

afterEach(() => void vi.useRealTimers())

/** A call, and how often its client was told that it goes on. */
function telling(given: Parameters<typeof callOf>[0] = {}) {
  const told: number[] = []
  const call = callOf(given)
  const progress = (done: number) => void told.push(done)
  return { told, call: { ...call, context: { ...call.context, progress } satisfies ToolCall['context'] } }
}

function console(options: ApprovalQueueOptions = {}, more: Partial<ApproveOptions> = {}) {
  const store = memoryApprovals()
  return { store, policy: approve({ ask: approvalQueue(store, options), ...more }) }
}

describe('a call that waits', () => {
  it('UX-004 UX-005 SECC-002 goes on when somebody elsewhere has seen it and said yes', async () => {
    const { store, policy } = console()
    const outcome = through(policy, callOf({ arguments: { to: 'a\u202eda' } }))
    const [request] = await waitingIn(store)
    expect(request).toMatchObject({
      server: 'mail',
      tool: { name: 'send' },
      caller: 'eve',
      display: '{\n  "to": "a\\u{202e}da"\n}',
    })
    expect(store.decide(request?.id ?? '', 'allow')).toBe(true)
    expect((await outcome).result).toBe(done)
    expect(store.pending()).toEqual([])
    expect(store.release(request?.id ?? '', request?.digest ?? '')).toBe(false)
  })

  it('TANN-003 TANN-004 waits although a server that is not trusted says that it only reads, and that is shown as a claim', async () => {
    const { store, policy } = console()
    const outcome = through(policy, callOf({ listed: { annotations: { readOnlyHint: true } } }))
    const [request] = await waitingIn(store)
    expect(request).toMatchObject({ hints: { readOnly: false, destructive: true }, claims: { readOnly: true } })
    await decideIn(store, 'deny')
    expect((await outcome).sent).toEqual([])
  })

  it('UX-001 UX-007 is refused with the reason that was given', async () => {
    const { store, policy } = console()
    const outcome = through(policy, callOf())
    await decideIn(store, { deny: 'not today' })
    const { refusal, sent } = await outcome
    expect(refusal).toMatchObject({ reason: 'not-approved', message: expect.stringContaining('denied: not today') })
    expect(sent).toEqual([])
  })

  it('is told at once, and then now and again, that it waits, from where a handler can go forward', async () => {
    vi.useFakeTimers()
    const { store, policy } = console()
    const { told, call } = telling()
    const outcome = through(policy, call)
    await vi.advanceTimersByTimeAsync(0)
    expect(told).toHaveLength(1)
    await vi.advanceTimersByTimeAsync(30_000)
    expect(told).toHaveLength(4)
    expect(told).toEqual([...told].sort((a, b) => a - b))
    expect(Math.max(...told)).toBeLessThan(0.001)
    await decideIn(store, 'allow')
    expect((await outcome).result).toBe(done)
    await vi.advanceTimersByTimeAsync(30_000)
    expect(told).toHaveLength(4)
  })

  it('waits and is told no more often where the times are longer than a timer can be', async () => {
    vi.useFakeTimers()
    const { store, policy } = console({ holdMs: 2 ** 31, tellEveryMs: Number.POSITIVE_INFINITY })
    const { told, call } = telling()
    const outcome = through(policy, call)
    await vi.advanceTimersByTimeAsync(1_000)
    expect(told).toHaveLength(1)
    expect(await store.pending()).toMatchObject([{ held: true }])
    await decideIn(store, 'allow')
    expect((await outcome).result).toBe(done)
  })

  it('leaves the list when its caller goes away, and when nobody has answered in five minutes', async () => {
    vi.useFakeTimers()
    const { store, policy } = console()
    const controller = new AbortController()
    const gone = through(policy, telling({ signal: controller.signal }).call)
    const silent = through(policy, telling().call)
    await vi.advanceTimersByTimeAsync(0)
    const ids = (await store.pending()).map(({ id }) => id)
    expect(ids).toHaveLength(2)
    controller.abort(new Error('gone'))
    expect((await gone).refusal?.message).toBe('gone')
    expect(store.pending()).toHaveLength(1)
    await vi.advanceTimersByTimeAsync(300_000)
    expect((await silent).refusal).toMatchObject({ reason: 'not-approved', message: expect.stringContaining('in time') })
    expect(store.pending()).toEqual([])
    expect(ids.map((id) => store.decide(id, 'allow'))).toEqual([false, false])
    expect([...(await gone).sent, ...(await silent).sent]).toEqual([])
  })

  it('can be allowed for later calls, too', async () => {
    const remember = memoryGrants()
    const { store, policy } = console({}, { remember })
    const outcome = through(policy, callOf())
    await decideIn(store, { allow: true, always: { forMs: 60_000 } })
    await outcome
    expect((await through(policy, callOf({ arguments: { to: 'bob' } }))).result).toBe(done)
  })

  it('is refused when too many of its caller wait, and when the store fails', async () => {
    const { policy, store } = console({ mostPending: 1 })
    const first = through(policy, callOf())
    await waitingIn(store)
    expect((await through(policy, callOf())).refusal).toMatchObject({ reason: 'busy' })
    await decideIn(store, 'deny')
    await first
    const broken = { ...store, settled: () => Promise.reject(new Error('disk')), withdraw: () => undefined }
    const { refusal, sent } = await through(approve({ ask: approvalQueue(broken) }), callOf())
    expect(refusal).toMatchObject({ reason: 'not-approved', message: expect.stringContaining('could not be requested') })
    expect(sent).toEqual([])
  })
})

describe('a call that is held, of which an earlier one was given up', () => {
  it('finds what was decided for that one, and is made once', async () => {
    const { store, policy } = console({ hold: false })
    await through(policy, callOf())
    await decideIn(store, 'allow')
    const holding = approve({ when: () => true, ask: approvalQueue(store) })
    expect((await through(holding, callOf())).result).toBe(done)
    expect(store.pending()).toEqual([])
  })

  it('waits for the decision that is pending, and asks nobody twice', async () => {
    const { store, policy } = console({ hold: false })
    await through(policy, callOf())
    const waiting = through(approve({ when: () => true, ask: approvalQueue(store) }), callOf())
    await new Promise((resolve) => setTimeout(resolve, 20))
    expect(store.pending()).toHaveLength(1)
    await decideIn(store, 'allow')
    expect((await waiting).result).toBe(done)
  })
})

describe('a call that is held for a while', () => {
  const howTo = (id: string) => `Run approve ${id}`
  const forAWhile = () => console({ holdMs: 45_000, howTo })
  const withheld = async (policy: ReturnType<typeof console>['policy'], call = callOf()) => {
    const outcome = through(policy, call)
    await vi.advanceTimersByTimeAsync(45_000)
    return (await outcome).refusal
  }

  it('is told at once how it is decided, by progress and in the log', async () => {
    const { store, policy } = forAWhile()
    const call = callOf()
    const told: unknown[] = []
    const progress = (_done: number, _total?: number, message?: string) => void told.push(message)
    const log = (level: string, data: unknown) => void told.push([level, data])
    const outcome = through(policy, { ...call, context: { ...call.context, progress, log } as unknown as ToolCall['context'] })
    const [request] = await waitingIn(store)
    const message = `Waiting for approval. Run approve ${request?.id}`
    expect(told).toEqual([message, ['notice', { waiting: 'send', approval: request?.id, message }]])
    await decideIn(store, 'allow')
    expect((await outcome).result).toBe(done)
  })

  it('hears after it how it is decided and that it can be made again, and finds the decision then, once', async () => {
    vi.useFakeTimers()
    const { store, policy } = forAWhile()
    const refusal = await withheld(policy)
    const [request] = await store.pending()
    expect(refusal).toMatchObject({ reason: 'not-approved', retryAfterMs: 5_000 })
    expect(refusal?.message).toBe(
      `The call to send waits for approval as ${request?.id}. Run approve ${request?.id}. Once it is approved, call again with the same arguments.`,
    )
    expect(request?.held).toBe(false)
    await decideIn(store, 'allow')
    expect((await through(policy, callOf())).result).toBe(done)
    expect(await withheld(policy)).toMatchObject({ reason: 'not-approved' })
  })

  it('asks nobody twice, however often it comes back and wherever it was made side by side', async () => {
    vi.useFakeTimers()
    const { store, policy } = forAWhile()
    const [one, other] = await Promise.all([withheld(policy), withheld(policy)])
    const [request, ...more] = await store.pending()
    expect(more).toEqual([])
    expect(one?.message).toContain(request?.id)
    expect(other?.message).toContain(request?.id)
    expect((await withheld(policy))?.message).toContain(request?.id)
  })

  it('is withdrawn when its caller goes away before', async () => {
    const { store, policy } = forAWhile()
    const controller = new AbortController()
    const gone = through(policy, callOf({ signal: controller.signal }))
    await waitingIn(store)
    controller.abort(new Error('gone'))
    expect((await gone).refusal?.message).toBe('gone')
    expect(await store.pending()).toEqual([])
  })

  it('is refused to be set up over a store that cannot leave a request for another call', () => {
    const { leave: _, ...store } = memoryApprovals()
    expect(() => approvalQueue(store, { holdMs: 1 })).toThrow('holdMs needs a store that has leave()')
  })
})

describe('a call that comes back', () => {
  const comingBack = (options: ApprovalQueueOptions = {}) => console({ hold: false, ...options })

  it('UX-007 is refused at once, and told under which name it waits and when to try again', async () => {
    const { store, policy } = comingBack({ retryAfterMs: 7_000 })
    const { refusal, sent } = await through(policy, callOf())
    const [request] = await store.pending()
    expect(refusal).toMatchObject({ reason: 'not-approved', retryAfterMs: 7_000 })
    expect(refusal?.message).toBe(
      `The call to send waits for approval as ${request?.id}; call again with the same arguments when it is approved.`,
    )
    expect(sent).toEqual([])
    expect((await through(policy, callOf())).refusal?.message).toContain(request?.id)
    expect(store.pending()).toHaveLength(1)
  })

  it('UX-005 is made once when it comes back with the same arguments, and then needs approval again', async () => {
    const { store, policy } = comingBack()
    await through(policy, callOf({ arguments: { to: 'ada', n: 1 } }))
    await decideIn(store, 'allow')
    expect((await through(policy, callOf({ arguments: { n: 1, to: 'ada' } }))).result).toBe(done)
    expect((await through(policy, callOf({ arguments: { to: 'ada', n: 1 } }))).refusal?.message).toContain('waits for approval')
    expect(store.pending()).toHaveLength(1)
  })

  it.each([
    { arguments: { to: 'bob' } },
    { caller: 'bob' },
    { server: 'other' },
    { listed: { description: 'Sends!' } },
    { listed: { name: 'delete' } },
  ])('is not what was approved with %o', async (change) => {
    const { store, policy } = comingBack()
    await through(policy, callOf())
    await decideIn(store, 'allow')
    const { refusal, sent } = await through(policy, callOf(change))
    expect(refusal?.message).toContain('waits for approval')
    expect(sent).toEqual([])
  })

  it('is not what was approved under other rules', async () => {
    let version = '1'
    const { store, policy } = console({ hold: false }, { version: () => version })
    await through(policy, callOf())
    await decideIn(store, 'allow')
    version = '2'
    expect((await through(policy, callOf())).refusal?.message).toContain('waits for approval')
  })

  it('UX-001 hears that it was denied, as often as it asks', async () => {
    const { store, policy } = comingBack()
    await through(policy, callOf())
    await decideIn(store, { deny: 'never' })
    for (let n = 0; n < 3; n++) expect((await through(policy, callOf())).refusal?.message).toContain('denied: never')
    expect(store.pending()).toEqual([])
  })

  it('asks for a hundred calls of one caller at most', async () => {
    const { store, policy } = comingBack()
    for (let n = 0; n < 100; n++) await through(policy, callOf({ arguments: { n } }))
    expect((await through(policy, callOf({ arguments: { n: 100 } }))).refusal).toMatchObject({ reason: 'busy' })
    expect((await through(policy, callOf({ caller: 'bob' }))).refusal).toMatchObject({ reason: 'not-approved' })
    expect(store.pending(1_000)).toHaveLength(101)
  })
})
