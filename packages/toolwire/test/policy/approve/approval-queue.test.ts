import { afterEach, describe, expect, it, vi } from 'vitest'
import { type ApprovalQueueOptions, approvalQueue } from '../../../src/policy/approve/approval-queue.js'
import type { ApproveOptions } from '../../../src/policy/approve/approve-options.js'
import { memoryGrants } from '../../../src/policy/approve/grants.js'
import { approve } from '../../../src/policy/approve/index.js'
import { memoryApprovals } from '../../../src/policy/approve/memory-store.js'
import type { ToolCall } from '../../../src/tools/tool.js'
import { callOf, done, through } from '../call.js'
import { decideIn, waitingIn } from './pending-approval.js'

afterEach(() => void vi.useRealTimers())

/** A call that records the progress reports to its client. */
function callWithProgress(given: Parameters<typeof callOf>[0] = {}) {
  const reports: number[] = []
  const call = callOf(given)
  const progress = (done: number) => void reports.push(done)
  return { reports, call: { ...call, context: { ...call.context, progress } satisfies ToolCall['context'] } }
}

function console(options: ApprovalQueueOptions = {}, more: Partial<ApproveOptions> = {}) {
  const store = memoryApprovals()
  return { store, policy: approve({ ask: approvalQueue(store, options), ...more }) }
}

describe('a pending call', () => {
  it('UX-004 UX-005 SECC-002 continues when another process has shown it to a person who approved', async () => {
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

  it('TANN-003 TANN-004 stays pending although an untrusted server claims that it is read-only, and the claim is shown as such', async () => {
    const { store, policy } = console()
    const outcome = through(policy, callOf({ listed: { annotations: { readOnlyHint: true } } }))
    const [request] = await waitingIn(store)
    expect(request).toMatchObject({ hints: { readOnly: false, destructive: true }, claims: { readOnly: true } })
    await decideIn(store, 'deny')
    expect((await outcome).sent).toEqual([])
  })

  it('is withdrawn if the store has kept it, but answers too late', async () => {
    const store = memoryApprovals()
    const late: typeof store = {
      ...store,
      async add(asked, most) {
        await store.add(asked, most)
        throw new Error('The store has not answered')
      },
    }
    const { refusal, sent } = await through(approve({ ask: approvalQueue(late) }), callOf())
    expect(refusal).toMatchObject({ reason: 'not-approved' })
    expect(sent).toEqual([])
    expect(store.pending()).toEqual([])
  })

  it('is refused for the failure of the store, also if it cannot be withdrawn', async () => {
    const fails = () => Promise.reject(new Error('The store is away'))
    const store = { ...memoryApprovals(), add: fails, withdraw: fails }
    const { refusal, sent } = await through(approve({ ask: approvalQueue(store) }), callOf())
    expect(refusal).toMatchObject({ reason: 'not-approved', cause: { message: 'The store is away' } })
    expect(sent).toEqual([])
  })

  it('UX-001 UX-007 is refused with the given reason', async () => {
    const { store, policy } = console()
    const outcome = through(policy, callOf())
    await decideIn(store, { deny: 'not today' })
    const { refusal, sent } = await outcome
    expect(refusal).toMatchObject({ reason: 'not-approved', message: expect.stringContaining('denied: not today') })
    expect(sent).toEqual([])
  })

  it('reports at once and then regularly that it is pending, if its handler can send progress', async () => {
    vi.useFakeTimers()
    const { store, policy } = console()
    const { reports, call } = callWithProgress()
    const outcome = through(policy, call)
    await vi.advanceTimersByTimeAsync(0)
    expect(reports).toHaveLength(1)
    await vi.advanceTimersByTimeAsync(30_000)
    expect(reports).toHaveLength(4)
    expect(reports).toEqual([...reports].sort((a, b) => a - b))
    expect(Math.max(...reports)).toBeLessThan(0.001)
    await decideIn(store, 'allow')
    expect((await outcome).result).toBe(done)
    await vi.advanceTimersByTimeAsync(30_000)
    expect(reports).toHaveLength(4)
  })

  it('reports no more often with intervals beyond the longest timer', async () => {
    vi.useFakeTimers()
    const { store, policy } = console({ holdMs: 2 ** 31, tellEveryMs: Number.POSITIVE_INFINITY })
    const { reports, call } = callWithProgress()
    const outcome = through(policy, call)
    await vi.advanceTimersByTimeAsync(1_000)
    expect(reports).toHaveLength(1)
    expect(await store.pending()).toMatchObject([{ held: true }])
    await decideIn(store, 'allow')
    expect((await outcome).result).toBe(done)
  })

  it('leaves the list when its caller cancels, and after five minutes without an answer', async () => {
    vi.useFakeTimers()
    const { store, policy } = console()
    const controller = new AbortController()
    const gone = through(policy, callWithProgress({ signal: controller.signal }).call)
    const silent = through(policy, callWithProgress().call)
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

  it('may be approved with a grant for later calls', async () => {
    const remember = memoryGrants()
    const { store, policy } = console({}, { remember })
    const outcome = through(policy, callOf())
    await decideIn(store, { allow: true, always: { forMs: 60_000 } })
    await outcome
    expect((await through(policy, callOf({ arguments: { to: 'bob' } }))).result).toBe(done)
  })

  it('is refused if its caller has too many pending ones, and if the store fails', async () => {
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

describe('a pending call after an earlier identical one was cancelled', () => {
  it('uses the decision on the earlier one, and is made once', async () => {
    const { store, policy } = console({ hold: false })
    await through(policy, callOf())
    await decideIn(store, 'allow')
    const holding = approve({ when: () => true, ask: approvalQueue(store) })
    expect((await through(holding, callOf())).result).toBe(done)
    expect(store.pending()).toEqual([])
  })

  it('shares the pending request, and asks nobody twice', async () => {
    const { store, policy } = console({ hold: false })
    await through(policy, callOf())
    const waiting = through(approve({ when: () => true, ask: approvalQueue(store) }), callOf())
    await new Promise((resolve) => setTimeout(resolve, 20))
    expect(store.pending()).toHaveLength(1)
    await decideIn(store, 'allow')
    expect((await waiting).result).toBe(done)
  })
})

describe('a call that waits only for a while', () => {
  const howTo = (id: string) => `Run approve ${id}`
  const forAWhile = () => console({ holdMs: 45_000, howTo })
  const withheld = async (policy: ReturnType<typeof console>['policy'], call = callOf()) => {
    const outcome = through(policy, call)
    await vi.advanceTimersByTimeAsync(45_000)
    return (await outcome).refusal
  }

  it('is notified of the decision at once, by progress and in the log', async () => {
    const { store, policy } = forAWhile()
    const call = callOf()
    const notifications: unknown[] = []
    const progress = (_done: number, _total?: number, message?: string) => void notifications.push(message)
    const log = (level: string, data: unknown) => void notifications.push([level, data])
    const outcome = through(policy, { ...call, context: { ...call.context, progress, log } as unknown as ToolCall['context'] })
    const [request] = await waitingIn(store)
    const message = `Waiting for approval. Run approve ${request?.id}`
    expect(notifications).toEqual([message, ['notice', { waiting: 'send', approval: request?.id, message }]])
    await decideIn(store, 'allow')
    expect((await outcome).result).toBe(done)
  })

  it('is notified later that it can be repeated, and the repetition uses the decision once', async () => {
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

  it('asks nobody twice, for any number of repetitions and concurrent calls', async () => {
    vi.useFakeTimers()
    const { store, policy } = forAWhile()
    const [one, other] = await Promise.all([withheld(policy), withheld(policy)])
    const [request, ...more] = await store.pending()
    expect(more).toEqual([])
    expect(one?.message).toContain(request?.id)
    expect(other?.message).toContain(request?.id)
    expect((await withheld(policy))?.message).toContain(request?.id)
  })

  it('is withdrawn if its caller cancels before', async () => {
    const { store, policy } = forAWhile()
    const controller = new AbortController()
    const gone = through(policy, callOf({ signal: controller.signal }))
    await waitingIn(store)
    controller.abort(new Error('gone'))
    expect((await gone).refusal?.message).toBe('gone')
    expect(await store.pending()).toEqual([])
  })

  it('needs a store that can keep a request for another call', () => {
    const { leave: _, ...store } = memoryApprovals()
    expect(() => approvalQueue(store, { holdMs: 1 })).toThrow('holdMs needs a store that has leave()')
  })
})

describe('a repeated call', () => {
  const comingBack = (options: ApprovalQueueOptions = {}) => console({ hold: false, ...options })

  it('UX-007 is refused at once, with the id of the pending request and the time for a retry', async () => {
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

  it('UX-005 is made once if its arguments are the same, and then needs approval again', async () => {
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
  ])('does not match the approval after the change %o', async (change) => {
    const { store, policy } = comingBack()
    await through(policy, callOf())
    await decideIn(store, 'allow')
    const { refusal, sent } = await through(policy, callOf(change))
    expect(refusal?.message).toContain('waits for approval')
    expect(sent).toEqual([])
  })

  it('does not match an approval under other rules', async () => {
    let version = '1'
    const { store, policy } = console({ hold: false }, { version: () => version })
    await through(policy, callOf())
    await decideIn(store, 'allow')
    version = '2'
    expect((await through(policy, callOf())).refusal?.message).toContain('waits for approval')
  })

  it('UX-001 is told of a denial, as often as it is repeated', async () => {
    const { store, policy } = comingBack()
    await through(policy, callOf())
    await decideIn(store, { deny: 'never' })
    for (let n = 0; n < 3; n++) expect((await through(policy, callOf())).refusal?.message).toContain('denied: never')
    expect(store.pending()).toEqual([])
  })

  it('counts towards the limit of a hundred pending calls per caller', async () => {
    const { store, policy } = comingBack()
    for (let n = 0; n < 100; n++) await through(policy, callOf({ arguments: { n } }))
    expect((await through(policy, callOf({ arguments: { n: 100 } }))).refusal).toMatchObject({ reason: 'busy' })
    expect((await through(policy, callOf({ caller: 'bob' }))).refusal).toMatchObject({ reason: 'not-approved' })
    expect(store.pending(1_000)).toHaveLength(101)
  })
})
