import fc from 'fast-check'
import { server, tool } from 'toolwire'
import { describe, expect, it, vi } from 'vitest'
import { type ConcurrencyOptions, concurrency } from '../../src/policy/concurrency/index.js'
import type { CountedPlace } from '../../src/policy/concurrency/shared-turns.js'
import { chainsAround } from '../../src/policy/policy.js'
import { timeout } from '../../src/policy/timeout/index.js'
import { anonymous, type Caller, localUser } from '../../src/tools/caller.js'
import type { Refusal } from '../../src/tools/refusal.js'
import type { ToolCall } from '../../src/tools/tool.js'
import { every } from '../revisions.js'
import '../reported-faults.js'
import { judged } from '../official-schemas.js'
import { callOf, done } from './call.js'

const turn = () => new Promise((resolve) => setImmediate(resolve))

type Ended = 'done' | 'failed' | Refusal['reason'] | 'cancelled'

type Running = {
  readonly caller: string
  readonly tool: string
  readonly server: string | undefined
  readonly signal: AbortSignal
  end(): void
  fail(): void
}

/** Sends calls through one policy. Each runs until the test ends it. */
function work(options: ConcurrencyOptions) {
  const policy = concurrency(options)
  const running: Running[] = []
  const next = ({ caller, tool, server, context: { signal } }: ToolCall) =>
    new Promise<typeof done>((resolve, reject) => {
      const gone = () => void running.splice(running.indexOf(entry), 1)
      const end = () => {
        gone()
        resolve(done)
      }
      const fail = () => {
        gone()
        reject(new Error('broken'))
      }
      const entry: Running = { caller: caller.id, tool: tool.name, server, signal, end, fail }
      running.push(entry)
    })
  const call = (caller: string, more: { tool?: string; server?: string; signal?: AbortSignal } = {}): Promise<Ended> => {
    const made = callOf({ caller, ...more, listed: { name: more.tool ?? 'send' } })
    return (policy.call?.(made, next) ?? Promise.reject()).then(
      (): Ended => 'done',
      (thrown: Error & { reason?: Refusal['reason'] }) =>
        thrown.reason ?? (thrown.message === 'broken' ? 'failed' : ('cancelled' as const)),
    )
  }
  return { running, call, callers: () => running.map(({ caller }) => caller) }
}

describe('a concurrency limit', () => {
  it.each([
    { limit: 'all', options: { all: 2 }, calls: [['ada'], ['bob'], ['eve']] },
    { limit: 'each', options: { each: 2 }, calls: [['ada'], ['ada', 'read'], ['ada', 'read', 'disk']] },
    { limit: 'perServer', options: { perServer: 2 }, calls: [['ada'], ['bob', 'read'], ['eve']] },
    { limit: 'perTool', options: { perTool: 2 }, calls: [['ada'], ['bob'], ['eve']] },
  ] as const)('SECS-007 $limit: two calls run, and the third waits until one of them ends', async ({ options, calls }) => {
    const { running, call } = work(options)
    const made = calls.map(([caller, tool, server]) => call(caller, { ...(tool && { tool }), ...(server && { server }) }))
    await turn()
    expect(running).toHaveLength(2)
    running[0]?.end()
    await turn()
    expect(running).toHaveLength(2)
    for (const one of [...running]) one.end()
    expect(await Promise.all(made)).toEqual(['done', 'done', 'done'])
  })

  it.each([
    { limit: 'each', options: { each: 1 }, other: { caller: 'bob' } },
    { limit: 'perServer', options: { perServer: 1 }, other: { caller: 'ada', server: 'disk' } },
    { limit: 'perTool', options: { perTool: 1 }, other: { caller: 'ada', tool: 'read' } },
  ])('$limit: waiting calls do not delay others', async ({ options, other: { caller, ...more } }) => {
    const { running, call } = work(options)
    call('ada')
    call('ada')
    call(caller, more)
    await turn()
    expect(running).toHaveLength(2)
  })

  it('has the documented defaults: 32 per upstream, 64 per caller, 2,000 in total, 256 queued per upstream', async () => {
    const { running, call } = work({})
    const asked: Promise<Ended>[] = []
    for (let at = 0; at < 17; at++) asked.push(call('ada', { server: 'disk' }), call('bob', { server: 'disk' }))
    await turn()
    expect(running).toHaveLength(32)
    for (let at = 0; at < 65; at++) asked.push(call('eve', { server: `own ${at % 5}` }))
    await turn()
    expect(running).toHaveLength(32 + 64)
    for (let at = 0; at < 2_000 - 96; at++) asked.push(call(`caller ${at}`, { server: `server ${at}` }))
    await turn()
    expect(running).toHaveLength(2_000)
    for (let at = 0; at < 254 + 10; at++) asked.push(call(`late ${at}`, { server: 'disk' }))
    for (let at = 0; at < 256; at++) asked.push(call(`later ${at}`, { server: 'tape' }))
    const now = turn()
    const ended = await Promise.all(asked.map((one) => Promise.race([one, now])))
    expect(ended.filter((one) => one === 'busy')).toHaveLength(10)
  })

  it('frees a slot however a call ends', async () => {
    const { running, call } = work({ all: 1 })
    const abort = new AbortController()
    const ended = [call('ada'), call('ada', { signal: abort.signal }), call('ada')]
    await turn()
    running[0]?.fail()
    await turn()
    expect(running).toHaveLength(1)
    abort.abort() // the handler ignores it
    await turn()
    expect(running).toHaveLength(2)
    running[1]?.end()
    expect([await ended[0], await ended[2]]).toEqual(['failed', 'done'])
    running[0]?.end()
    await ended[1]
    call('ada')
    call('ada')
    await turn()
    expect(running).toHaveLength(1)
  })
})

describe('the share of one caller', () => {
  const ada = { id: 'ada', scopes: [] }
  const anonymousOne = { ...anonymous, countsAsOne: true }
  /** Sends calls that never end, and counts those that run. */
  function flood(caller: Caller, perServer: number) {
    const ran: string[] = []
    const shared = { enter: vi.fn((_: readonly CountedPlace[]) => () => undefined) }
    const policy = concurrency({ perServer, shared })
    const neverEnds = (by: Caller) => () => new Promise<never>(() => void ran.push(by.id))
    // Calls that wait longer than the queue allows are refused, on a slow machine while other tests run.
    const send = (by: Caller) => void policy.call?.({ ...callOf(), caller: by }, neverEnds(by)).catch(() => undefined)
    for (let at = 0; at < perServer; at++) send(caller)
    return { ran, send, shared }
  }

  it.each(
    [1, 2, 3, 4, 32].flatMap((perServer) => [ada, anonymousOne].map((caller) => ({ caller, perServer, id: caller.id }))),
  )('is half of the $perServer places of a server, for $id', async ({ caller, perServer }) => {
    const { ran, send, shared } = flood(caller, perServer)
    const most = Math.ceil(perServer / 2)
    for (let at = most; at < perServer; at++) send({ id: `other ${at}`, scopes: [] })
    await turn()
    expect(ran.filter((id) => id === caller.id)).toHaveLength(most)
    expect(ran).toHaveLength(perServer)
    expect(shared.enter.mock.calls[0]?.[0]).toContainEqual({ key: `share mail\n${caller.id}`, most })
  })

  it.each([anonymous, localUser])('is no limit where there is no other caller, or callers share a name: $id', async (caller) => {
    const { ran, shared } = flood(caller, 4)
    await turn()
    expect(ran).toHaveLength(4)
    expect(JSON.stringify(shared.enter.mock.calls[0])).not.toContain('share')
  })
})

describe('waiting calls', () => {
  it('alternate by caller, however many calls one caller has queued', async () => {
    const { running, call, callers } = work({ all: 1 })
    call('eve')
    for (let at = 0; at < 20; at++) call('ada')
    call('bob')
    call('cyd')
    const order: string[] = []
    for (let at = 0; at < 5; at++) {
      await turn()
      order.push(callers()[0] ?? '')
      running[0]?.end()
    }
    expect(order).toEqual(['eve', 'ada', 'bob', 'cyd', 'ada'])
  })

  it('are evicted from a full queue if their caller has the most, in favour of others', async () => {
    const { call } = work({ all: 1, queue: 4 })
    call('eve')
    const crowd = Array.from({ length: 5 }, () => call('ada'))
    expect(await crowd[4]).toBe('busy')
    const bob = call('bob')
    expect(await crowd[3]).toBe('busy')
    call('bob')
    expect(await crowd[2]).toBe('busy')
    expect(await call('bob')).toBe('busy')
    expect(await Promise.race([bob, crowd[0], crowd[1], turn()])).toBeUndefined()
  })

  it('for a slow server leave room for other servers, and none in their own queue', async () => {
    const { running, call } = work({ perServer: 1, queue: 2 })
    const disk = ['ada', 'bob', 'cyd'].map((caller) => call(caller, { server: 'disk' }))
    expect(await call('eve', { server: 'disk' })).toBe('busy')
    const tape = ['ada', 'bob', 'cyd'].map((caller) => call(caller, { server: 'tape' }))
    expect(await call('bob', { server: 'tape' })).toBe('busy')
    for (const _ of tape) {
      await turn()
      running.find(({ server }) => server === 'tape')?.end()
    }
    expect(await Promise.all(tape)).toEqual(['done', 'done', 'done'])
    expect(await Promise.race([...disk, turn()])).toBeUndefined()
  })

  it('are evicted only in favour of calls to the same server', async () => {
    const { call } = work({ perServer: 1, queue: 2 })
    const disk = ['ada', 'ada', 'ada'].map((caller) => call(caller, { server: 'disk' }))
    const tape = ['ada', 'bob', 'cyd'].map((caller) => call(caller, { server: 'tape' }))
    expect(await call('dan', { server: 'tape' })).toBe('busy')
    expect(await Promise.race([...disk, ...tape, turn()])).toBeUndefined()
  })

  it('leave the queue when they are cancelled, and free their place', async () => {
    const { running, call } = work({ all: 1, queue: 1 })
    call('ada')
    const abort = new AbortController()
    const waiting = call('bob', { signal: abort.signal })
    expect(await call('cyd')).toBe('busy')
    abort.abort()
    expect(await waiting).toBe('cancelled')
    const other = call('cyd')
    running[0]?.end()
    await turn()
    expect(running.map(({ caller }) => caller)).toEqual(['cyd'])
    running[0]?.end()
    expect(await other).toBe('done')
  })

  it('are told when to retry, and do not wait endlessly', async () => {
    const policy = concurrency({ all: 1, queue: 1, waitMs: 20 })
    const asked = Array.from({ length: 3 }, () => policy.call?.(callOf(), () => new Promise(() => undefined)))
    for (const refused of [asked[2], asked[1]])
      await expect(refused).rejects.toMatchObject({ reason: 'busy', retryAfterMs: 1_000, message: /again in 1 s/ })
  })

  it('TOUT-006 time out in the queue: a call past its timeout does not begin', async () => {
    const policies = [timeout({ idleMs: 60_000, totalMs: 60_000 }), concurrency({ all: 1 })]
    const begun: string[] = []
    const start = (name: string, ms: number, result: Promise<typeof done> = Promise.resolve(done)) => {
      const abort = new AbortController()
      const given = callOf({ listed: { name }, signal: abort.signal })
      const tool = { ...given.tool, definition: { ...given.tool.definition, timeout: ms } }
      const next = chainsAround(policies, (call) => {
        begun.push(call.tool.name)
        return result
      })(tool)
      return next({ ...given, tool, context: Object.assign(given.context, { abort: (why: unknown) => abort.abort(why) }) })
    }
    let end = (_: typeof done) => {}
    const first = start('first', 60_000, new Promise((resolve) => (end = resolve)))
    await expect(start('late', 20)).rejects.toMatchObject({ reason: 'timed-out' })
    end(done)
    expect(await first).toBe(done)
    const stuck = start('stuck', 20, new Promise(() => undefined))
    const patient = start('patient', 60_000)
    await expect(stuck).rejects.toMatchObject({ reason: 'timed-out' })
    // The call that never ended has lost its slot after the timeout.
    expect(await patient).toBe(done)
    expect(begun).toEqual(['first', 'stuck', 'patient'])
  })
})

it('SECS-007 the limit is never exceeded, and no call is lost, under random load', async () => {
  const step = fc.oneof(
    fc.record({
      does: fc.constant('call' as const),
      caller: fc.constantFrom('ada', 'bob', 'cyd'),
      tool: fc.constantFrom('a', 'b'),
    }),
    fc.record({ does: fc.constant('end' as const), which: fc.nat(20) }),
    fc.record({ does: fc.constant('cancel' as const), which: fc.nat(40) }),
  )
  const bounds = fc.record({
    all: fc.integer({ min: 1, max: 5 }),
    each: fc.integer({ min: 1, max: 3 }),
    perTool: fc.integer({ min: 1, max: 4 }),
    queue: fc.integer({ min: 0, max: 6 }),
  })
  await fc.assert(
    fc.asyncProperty(bounds, fc.array(step, { maxLength: 60 }), async (limits, steps) => {
      const { running, call } = work(limits)
      const made: { ended: Promise<Ended>; abort: AbortController }[] = []
      const most = (by: 'caller' | 'tool') =>
        Math.max(0, ...running.map((one) => running.filter((other) => other[by] === one[by]).length))
      for (const one of steps) {
        if (one.does === 'call') {
          const abort = new AbortController()
          made.push({ ended: call(one.caller, { tool: one.tool, signal: abort.signal }), abort })
        }
        if (one.does === 'end') running[one.which % (running.length || 1)]?.end()
        if (one.does === 'cancel') {
          const { abort } = made[one.which % (made.length || 1)] ?? {}
          running.find(({ signal }) => signal === abort?.signal)?.fail() // a handler that listens to the signal
          abort?.abort()
        }
        await turn()
        expect(running.length).toBeLessThanOrEqual(limits.all)
        expect(most('caller')).toBeLessThanOrEqual(limits.each)
        expect(most('tool')).toBeLessThanOrEqual(limits.perTool)
      }
      for (let at = 0; at < 100 && running.length > 0; at++) {
        for (const one of [...running]) one.end()
        await turn()
      }
      // Every call has settled, and all slots are free again.
      await Promise.all(made.map(({ ended }) => ended))
      const last = call('ada')
      await turn()
      expect(running).toHaveLength(1)
      running[0]?.end()
      expect(await last).toBe('done')
    }),
  )
})

it.each(every)('SECS-007 at %s the model reads that the tool is busy', async (revision) => {
  const ends: (() => void)[] = []
  const slow = tool({ run: () => new Promise<string>((resolve) => ends.push(() => resolve('done'))) })
  const app = server({ name: 'shop', version: '1', tools: { slow }, policies: [concurrency({ perTool: 1, queue: 0 })] })
  const t = await judged(app, { revision })
  const first = t.call('slow')
  await turn()
  expect(await t.call('slow')).toMatchObject({ isError: true, content: [{ text: expect.stringMatching(/try again in 1 s$/) }] })
  for (const end of ends) end()
  expect((await first).isError).toBe(false)
})
