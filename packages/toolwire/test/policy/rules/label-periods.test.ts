// The period of a label begins at the last moment at which data of the labelled call can arrive, in every kind of delivery.
import fc from 'fast-check'
import { prompt, resource, server, ToolError, template, tool } from 'toolwire'
import { relay } from 'toolwire/relay'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { z } from 'zod'
import { auditLog } from '../../../src/guard.js'
import type { JsonObject } from '../../../src/json.js'
import { ReceivedLabels } from '../../../src/policy/rules/received-labels.js'
import { rules } from '../../../src/rules.js'
import { Refusal } from '../../../src/tools/refusal.js'
import { speaking } from '../../server/pipe.js'
import { accept } from '../../server/questions/rounds.js'
import { howMany } from '../../soak.js'
import { callOf } from '../call.js'

const periods = { minute: 60_000, hour: 3_600_000, day: 86_400_000 } as const
const period = fc.constantFrom('minute', 'hour', 'day')
/** From zero to longer than the shortest periods. */
const length = fc.oneof(fc.constantFrom(0, 1, 59_999, 60_000, 63_000), fc.integer({ min: 0, max: 5_000_000 }))

const clock = { aheadMs: 0 }
const { now } = performance
const wall = Date.now
beforeEach(() => {
  vi.spyOn(performance, 'now').mockImplementation(() => now.call(performance) + clock.aheadMs)
  vi.spyOn(Date, 'now').mockImplementation(() => wall() + clock.aheadMs)
})
afterEach(() => vi.restoreAllMocks())
const pass = (ms: number) => {
  clock.aheadMs += ms
}
/** Upper bound for the real time that passes during a test. */
const slackMs = 30_000
/** A timeout that no plan reaches. */
const timeout = 1_000_000_000

describe('a hold of labels', () => {
  const step = fc.oneof(
    fc.record({ kind: fc.constant('hold'), caller: fc.constantFrom('eve', 'ada'), for: period }),
    fc.record({ kind: fc.constantFrom('end', 'take back'), which: fc.nat() }),
    fc.record({ kind: fc.constant('keep'), which: fc.nat(), afterMs: length }),
    fc.record({ kind: fc.constant('pass'), ms: length }),
  )

  it('matches a simple model, for any callers with any periods', () => {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 40 }), (steps) => {
        const received = new ReceivedLabels()
        let at = 0
        vi.spyOn(performance, 'now').mockImplementation(() => at)
        const holds: { caller: string; forMs: number; until: number; hold: ReturnType<ReceivedLabels['hold']> }[] = []
        for (const one of steps) {
          if ('ms' in one) at += one.ms
          if ('caller' in one) {
            const hold = received.hold(one.caller, [{ name: 'red', when: {}, for: one.for }])
            holds.push({ caller: one.caller, forMs: periods[one.for], until: Number.POSITIVE_INFINITY, hold })
          }
          const taken = 'which' in one ? holds[one.which % holds.length] : undefined
          if (taken && 'which' in one) {
            const afterMs = 'afterMs' in one ? one.afterMs : 0
            if (one.kind === 'take back') taken.hold.takeBack()
            else taken.hold.end(afterMs)
            // Only the first end counts.
            if (taken.until === Number.POSITIVE_INFINITY) taken.until = one.kind === 'take back' ? 0 : at + afterMs + taken.forMs
          }
          for (const caller of ['eve', 'ada'])
            expect(received.has(caller, 'red')).toBe(holds.some((held) => held.caller === caller && held.until > at))
        }
      }),
      { numRuns: howMany(200, 5_000) },
    )
  })
})

const deliveries = [
  'result',
  'failure',
  'audit',
  'question',
  'suspension',
  'task',
  'new task',
  'promoted',
  'resource',
  'prompt',
  'completion',
] as const

describe('a label', () => {
  it.each(deliveries)('outlasts the arrival of all data by its period: %s', async (delivery) => {
    const plan = fc.record({
      before: length,
      after: length,
      slow: length,
      fetched: fc.integer({ min: 0, max: 3_000_000 }),
      for: period,
    })
    await fc.assert(
      fc.asyncProperty(plan, (given) => follows(delivery, given)),
      { numRuns: howMany(15, 300) },
    )
  })

  it('is taken back only by a call that was not made, and not from another call with another period', async () => {
    const received = new ReceivedLabels()
    const policy = (forPeriod: 'minute' | 'hour') =>
      rules({ default: 'allow', rules: [], labels: [{ name: 'red', when: {}, for: forPeriod }] }, { received })
    const call = callOf()
    await policy('hour').call?.(call, async () => {
      await expect(policy('minute').call?.(call, () => Promise.reject(new Refusal('not-approved', 'No')))).rejects.toThrow('No')
      return { content: [], isError: false }
    })
    pass(3_000_000)
    expect(received.has('eve', 'red')).toBe(true)
  })
})

type Plan = {
  readonly before: number
  readonly after: number
  readonly slow: number
  readonly fetched: number
  readonly for: keyof typeof periods
}
type Delivery = (typeof deliveries)[number]

const text = (words: string) => ({ content: [{ type: 'text' as const, text: words }], isError: false })
const name = z.object({ name: z.string() })
const extended = { elicitation: { form: {} }, extensions: { 'io.modelcontextprotocol/tasks': {} } }

async function follows(delivery: Delivery, { before, after, slow, fetched, for: forPeriod }: Plan): Promise<void> {
  clock.aheadMs = 0 // tasks use the real clock
  const received = new ReceivedLabels()
  const has = () => received.has('eve', 'red')
  let arrivedAt: number | undefined
  let missed = false
  /** Advances the time, also to exactly the end of the period. */
  const wait = (ms: number) => {
    const end = performance.now() + ms
    const last = arrivedAt === undefined ? undefined : arrivedAt + periods[forPeriod] - slackMs
    if (last !== undefined && last > performance.now() && last < end) {
      pass(last - performance.now())
      missed ||= !has()
    }
    pass(Math.max(0, end - performance.now()))
  }
  const slowLog = auditLog({ write: () => (delivery === 'audit' ? wait(slow) : undefined) })
  const labels = [{ name: 'red', when: {}, for: forPeriod }]
  const description = 'Reads'
  const work = (ctx: { progress(done: number): void }) => {
    wait(before)
    ctx.progress(1)
    return new Promise<string>((resolve) =>
      setTimeout(() => {
        wait(after)
        resolve('the data')
      }, 1),
    )
  }
  const app = server({
    name: 'crm',
    version: '1',
    guard: { rules: rules({ default: 'allow', rules: [], labels }, { received }), audit: { log: slowLog }, timeout: false },
    tools: {
      reads: tool({ description, run: (_, ctx) => work(ctx) }),
      fails: tool({
        description,
        run: async (_, ctx) => {
          throw new ToolError(await work(ctx))
        },
      }),
      asks: tool({
        description,
        run: async (_, ctx) => {
          wait(before)
          return (await ctx.ask('who', 'Who is Ada?', name)).name
        },
      }),
      works: tool({ description, longRunning: 'optional', run: (_, ctx) => work(ctx) }),
      far: relay(
        { name: 'far', inputSchema: { type: 'object' } },
        {
          longRunning: 'optional',
          run: async (_, ctx) => {
            ctx.promoteToTask?.()
            return text(await work(ctx))
          },
        },
      ),
    },
    resources: {
      note: resource({ uri: 'crm://note', server: 'crm', timeout, read: (ctx) => work(ctx) }),
      row: template({
        uriTemplate: 'crm://{row}',
        server: 'crm',
        timeout,
        complete: { row: async () => [await work({ progress: () => undefined })] },
        read: () => 'row',
      }),
    },
    prompts: { p: prompt({ server: 'crm', timeout, run: (_, ctx) => work(ctx) }) },
  })
  const revision = ['question', 'task'].includes(delivery) ? '2025-11-25' : '2026-07-28'
  const { pipe, ask } = await speaking(app, revision, extended, { id: 'eve' })
  const { texts } = pipe
  const arrive = (...all: string[]) => {
    for (const one of all) {
      const { method, id } = JSON.parse(one)
      // A task that was only created reveals no data yet.
      if (!/the data|input_required|notifications\/progress|elicitation\/create|"x"/.test(one)) continue
      arrivedAt = performance.now()
      missed ||= !has()
      if (method !== 'elicitation/create') continue
      wait(slow)
      pipe.send({ jsonrpc: '2.0', id, result: accept({ name: 'x' }) })
    }
    return Array.prototype.push.apply(texts, all)
  }
  Object.assign(texts, { push: arrive })
  const call = (tool: string, more: JsonObject = {}) =>
    ask('tools/call', { name: tool, ...more, ...(revision === '2025-11-25' && { _meta: { progressToken: 'p' } }) })
  const result = async (asked: ReturnType<typeof ask>) =>
    (await asked).result as JsonObject & { taskId: string; task: { taskId: string } }
  const ended = async (taskId: string) => {
    for (;;) {
      const { status } = await result(ask('tasks/get', { taskId }))
      if (status === 'completed') return
      await new Promise((resolve) => setTimeout(resolve, 1))
    }
  }
  switch (delivery) {
    case 'result':
    case 'audit':
      await call('reads')
      break
    case 'failure':
      await call('fails')
      break
    case 'question':
      await call('asks')
      break
    case 'suspension': {
      const { requestState } = await result(call('asks'))
      wait(Math.min(slow, 500_000))
      const answered = await result(call('asks', { requestState, inputResponses: { who: accept({ name: 'x' }) } } as JsonObject))
      expect(answered).toMatchObject({ content: [{ text: 'x' }] })
      break
    }
    case 'task': {
      const { task } = await result(call('works', { task: { ttl: 20_000_000 } }))
      await ended(task.taskId)
      wait(fetched)
      expect(await result(ask('tasks/result', { taskId: task.taskId }))).toMatchObject({ content: [{ text: 'the data' }] })
      break
    }
    case 'new task':
    case 'promoted': {
      const { taskId } = await result(call(delivery === 'promoted' ? 'far' : 'works'))
      await new Promise((resolve) => setTimeout(resolve, 5))
      fc.pre(before + after < 3_500_000) // a task is kept for an hour
      wait(Math.min(fetched, 3_500_000 - before - after))
      await expect.poll(() => result(ask('tasks/get', { taskId }))).toMatchObject({ status: 'completed' })
      break
    }
    case 'resource':
      expect(await result(ask('resources/read', { uri: 'crm://note' }))).toMatchObject({ contents: [{ text: 'the data' }] })
      break
    case 'prompt':
      await ask('prompts/get', { name: 'p' })
      break
    case 'completion':
      await ask('completion/complete', {
        ref: { type: 'ref/resource', uri: 'crm://{row}' },
        argument: { name: 'row', value: '' },
      })
      break
  }
  expect(arrivedAt).toBeDefined()
  wait(periods[forPeriod] + 1)
  expect(missed).toBe(false)
  // A task can be fetched for longer than the period.
  if (!delivery.includes('task') && delivery !== 'promoted') expect(has()).toBe(false)
  pipe.close()
}
