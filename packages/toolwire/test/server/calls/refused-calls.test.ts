// Calls that are refused before the policies: each is in the audit log once, and of many only their number.
import { type JsonObject, Refusal, server, tool } from 'toolwire'
import { type AuditRecord, audit } from 'toolwire/guard'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { until } from '../../waiting.js'
import { Pipe, said } from '../pipe.js'

const kept: AuditRecord[] = []
const write = (record: AuditRecord) => void kept.push(record)
let finish: ((text: string) => void) | undefined

const made = (options: object = {}) =>
  server({
    name: 'shop',
    version: '1',
    tools: {
      now: tool({ description: 'The time', run: () => 'noon' }),
      slow: tool({ description: 'Waits', run: () => new Promise<string>((resolve) => (finish = resolve)) }),
    },
    guard: { audit: { write } },
    ...options,
  })

/** The arguments and the endings of the records about refused calls. */
const refused = () =>
  kept
    .filter(({ tool }) => tool === 'toolwire/refuse-call')
    .map((record) => (record.kind === 'intent' ? record.arguments : [record.decision, record.outcome, record.reason]))

beforeEach(() => void kept.splice(0))

describe('a call that is refused before the policies', () => {
  const cases: readonly (readonly [string, JsonObject, string | null, string])[] = [
    ['an unknown tool', { name: 'a\u200bb' }, 'a\\u{200b}b', 'unknown-tool'],
    ['a tool with the name of a record', { name: 'toolwire/approval' }, 'toolwire/approval', 'unknown-tool'],
    ['no name', {}, null, 'invalid-arguments'],
    ['arguments that are no object', { name: 'now', arguments: [1] }, 'now', 'invalid-arguments'],
    ['a forged state', { name: 'now', requestState: 'forged' }, 'now', 'invalid-arguments'],
  ]

  it.each(cases)('is recorded: %s', async (_, params, name, reason) => {
    await new Pipe(made()).ask('tools/call', { ...params, ...said() })
    expect(refused()).toEqual([{ tool: name }, ['refused', 'refused', reason]])
    expect(kept).toHaveLength(2)
  })

  it('is recorded by each audit if the server is busy', async () => {
    const pipe = new Pipe(made({ limits: { inFlight: 1, queue: 1 }, policies: [audit({ write })] }))
    const slow = pipe.ask('tools/call', { name: 'slow', ...said() })
    const finishSlow = await until(() => finish)
    const queued = pipe.ask('tools/call', { name: 'now', ...said() })
    expect((await pipe.ask('tools/call', { name: 'now', ...said() })).error?.code).toBe(429)
    await expect.poll(refused).toHaveLength(4)
    expect(refused()).toContainEqual(['refused', 'refused', 'busy'])
    finishSlow('at last')
    await Promise.all([slow, queued])
    expect(refused()).toHaveLength(4)
  })

  it('is recorded once by the policy that refuses it, if it reaches one', async () => {
    const deny = { name: 'deny', call: () => Promise.reject(new Refusal('forbidden', 'no')) }
    await new Pipe(made({ policies: [deny] })).ask('tools/call', { name: 'now', ...said() })
    expect(kept.map(({ tool }) => tool)).toEqual(['now', 'now'])
  })
})

describe('many of them', () => {
  beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance', 'Date'] }))
  afterEach(() => void vi.useRealTimers())

  it('of one caller do not hide those of another', async () => {
    const app = made()
    const [flood, other] = [new Pipe(app, { id: 'flood' }), new Pipe(app, { id: 'other' })]
    for (let nth = 0; nth < 100; nth++) await flood.ask('tools/call', { name: `tool${nth}`, ...said() })
    await other.ask('tools/call', { name: 'payroll', ...said() })
    expect(refused().at(-2)).toEqual({ tool: 'payroll' })
    expect(refused()).toHaveLength(22)
  })

  it('are recorded up to ten in a minute, and then counted', async () => {
    const pipe = new Pipe(made())
    for (let nth = 0; nth < 13; nth++) await pipe.ask('tools/call', { name: `tool${nth}`, ...said() })
    expect(refused()).toHaveLength(20)
    await vi.advanceTimersByTimeAsync(60_000)
    expect(refused().slice(20)).toEqual([{ notRecorded: 3, withinMs: 60_000 }, ['refused', 'refused', undefined]])
    await pipe.ask('tools/call', { name: 'later', ...said() })
    expect(refused().at(-2)).toEqual({ tool: 'later' })
  })
})
