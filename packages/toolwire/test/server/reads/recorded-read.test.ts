// Reads are audited like calls, and never wait endlessly for a log, a limit store or a completer.
import { prompt, RpcError, resource, server, template } from 'toolwire'
import { type AuditLog, type AuditRecord, audit, type LimitStore, memoryAudit } from 'toolwire/guard'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import '../../reported-faults.js'
import { Pipe, said } from '../pipe.js'

const never = () => new Promise<never>(() => undefined)

const made = (options: object = {}) =>
  server({
    name: 'library',
    version: '1',
    resources: { note: resource({ uri: 'note:1', read: () => 'text' }) },
    prompts: {
      greet: prompt({ args: { who: { complete: () => ['ada'] }, whom: { complete: never } }, run: () => 'Hello' }),
    },
    ...options,
  })

const reads = [
  ['resources/read', { uri: 'note:1' }],
  ['prompts/get', { name: 'greet' }],
  ['completion/complete', { ref: { type: 'ref/prompt', name: 'greet' }, argument: { name: 'who', value: '' } }],
] as const

/** The tools, kinds and decisions of records. */
const brief = (records: readonly AuditRecord[]) =>
  records.map((record) => `${record.tool} ${record.kind === 'intent' ? 'intent' : `${record.decision} ${record.outcome}`}`)

const allRead = ['read-resource', 'get-prompt', 'complete'].flatMap((name) => [
  `toolwire/${name} intent`,
  `toolwire/${name} allowed ok`,
])

describe('a read is in the audit log', () => {
  const kept: AuditRecord[] = []
  const write = (record: AuditRecord) => void kept.push(record)
  const log: AuditLog = { append: write, head: undefined }
  const places: readonly (readonly [string, object])[] = [
    ['the log of the guard', { guard: { audit: { log } } }],
    ['the function of the guard', { guard: { audit: { write } } }],
    ['the log of an own policy', { policies: [audit({ log })] }],
    ['the function of an own policy', { policies: [audit({ write })] }],
  ]
  beforeEach(() => void kept.splice(0))

  it.each(places)('of %s', async (_, options) => {
    const pipe = new Pipe(made(options))
    for (const [method, params] of reads) expect(await pipe.ask(method, { ...params, ...said() })).toHaveProperty('result')
    expect(brief(kept)).toEqual(allRead)
  })

  it('of both, if there are two, and of a replaced guard', async () => {
    const own = memoryAudit()
    const app = made({ guard: { audit: { write } }, policies: [audit({ log: own })] })
    const pipe = new Pipe(app)
    for (const [method, params] of reads) await pipe.ask(method, { ...params, ...said() })
    expect([brief(kept), own.head?.sequence]).toEqual([allRead, 6])
    app.guard({ guard: { audit: false } })
    for (const [method, params] of reads) await pipe.ask(method, { ...params, ...said() })
    expect([kept.length, own.head?.sequence]).toEqual([6, 6])
  })
})

it('the record of a read names the server of its entry, and nothing else that is read has one', async () => {
  const whose = { server: 'a\u200bb' }
  const log = memoryAudit()
  const app = made({
    guard: { audit: { log } },
    resources: {
      own: resource({ uri: 'own:1', read: () => 'text' }),
      note: resource({ ...whose, uri: 'note:1', read: () => 'text' }),
      day: template({ ...whose, uriTemplate: 'day:{name}', complete: { name: () => [] }, read: () => 'text' }),
    },
    prompts: { greet: prompt({ ...whose, args: { who: {} }, run: () => 'Hello' }), own: prompt({ run: () => 'Hello' }) },
  })
  const pipe = new Pipe(app)
  await pipe.open('2025-11-25')
  const argument = { name: 'name', value: '' }
  const owned = [
    ['resources/read', { uri: 'note:1' }],
    ['resources/read', { uri: 'day:1' }],
    ['resources/subscribe', { uri: 'note:1' }],
    ['prompts/get', { name: 'greet' }],
    ['prompts/get', { name: 'greet', arguments: { unknown: 'x' } }],
    ['completion/complete', { ref: { type: 'ref/prompt', name: 'greet' }, argument: { name: 'who', value: '' } }],
    ['completion/complete', { ref: { type: 'ref/resource', uri: 'day:{name}' }, argument }],
  ] as const
  const others = [
    ['resources/read', { uri: 'own:1' }],
    ['resources/read', { uri: 'absent:1' }],
    ['resources/subscribe', { uri: 'absent:1' }],
    ['prompts/get', { name: 'own' }],
    ['prompts/get', { name: 'absent' }],
    ['completion/complete', { ref: { type: 'ref/resource', uri: 'absent:{name}' }, argument }],
  ] as const
  for (const [method, params] of [...owned, ...others]) await pipe.ask(method, params)
  const servers = log.entries().map(({ text }) => (JSON.parse(text) as AuditRecord).server)
  const twice = (count: number, name: string | undefined) => Array.from({ length: 2 * count }, () => name)
  expect(servers).toEqual([...twice(owned.length, 'a\\u{200b}b'), ...twice(others.length, undefined)])
})

it('a read that is refused before its handler is asked is recorded as refused, and an error after that as failed', async () => {
  const log = memoryAudit()
  const fail = () => {
    throw new RpcError(-32602, 'no')
  }
  const app = made({
    guard: { audit: { log } },
    resources: {
      failing: resource({ uri: 'failing:1', read: fail }),
      days: template({ uriTemplate: 'day:{name}', complete: { name: fail }, read: () => undefined }),
    },
    prompts: { greet: prompt({ args: { who: { required: true } }, run: fail }) },
  })
  const pipe = new Pipe(app)
  await pipe.open('2025-11-25')
  const [greet, day] = [
    { type: 'ref/prompt', name: 'greet' },
    { type: 'ref/resource', uri: 'day:{name}' },
  ]
  const argument = { name: 'name', value: '' }
  const refused = [
    ['resources/read', { uri: 'absent:1' }],
    ['resources/read', { uri: 'no URI' }],
    ['resources/subscribe', { uri: 'absent:1' }],
    ['prompts/get', { name: 'absent', arguments: { who: 'ada' } }],
    ['prompts/get', { name: 'greet' }],
    ['completion/complete', { ref: greet, argument }],
    ['completion/complete', { ref: day, argument, context: { arguments: 1 } }],
  ] as const
  const failed = [
    ['resources/read', { uri: 'failing:1' }],
    ['resources/read', { uri: 'day:1' }],
    ['prompts/get', { name: 'greet', arguments: { who: 'ada' } }],
    ['completion/complete', { ref: day, argument }],
  ] as const
  for (const [method, params] of [...refused, ...failed]) expect(await pipe.ask(method, params)).toHaveProperty('error')
  const records = log.entries().map(({ text }) => JSON.parse(text) as AuditRecord)
  const endings = records.flatMap((one) => (one.kind === 'outcome' ? [[one.decision, one.outcome, one.reason]] : []))
  expect(endings).toEqual([
    ...refused.map(() => ['refused', 'refused', 'invalid-arguments']),
    ...failed.map(() => ['allowed', 'failed', undefined]),
  ])
})

describe('a read times out', () => {
  beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance', 'Date'] }))
  afterEach(() => void vi.useRealTimers())

  it.each(reads)('if the audit log hangs (%s), and the log shows later that it was not answered', async (method, params) => {
    const waiting: (() => void)[] = []
    const kept: AuditRecord[] = []
    const policy = audit({
      write: async (record) => {
        await new Promise<void>((resolve) => waiting.push(resolve))
        kept.push(record)
      },
    })
    const asked = new Pipe(made({ policies: [policy] })).ask(method, { ...params, ...said() })
    await vi.advanceTimersByTimeAsync(5_001)
    expect((await asked).error?.message).toMatch(/could not be recorded, so it is not answered/)
    expect(policy.trouble).toBeInstanceOf(Error)
    for (let at = 0; at < 2; at++) {
      waiting.shift()?.()
      await vi.advanceTimersByTimeAsync(0)
    }
    expect(kept.map((record) => (record.kind === 'intent' ? 'intent' : record.reason))).toEqual(['intent', 'unrecorded'])
  })

  it.each([...reads, ['resources/list', {}] as const])('if the limit store hangs (%s)', async (method, params) => {
    const limitStore: LimitStore = { take: never }
    const limits = { reads: { calls: 10, per: 'minute' }, lists: { calls: 10, per: 'minute' } }
    const asked = new Pipe(made({ limitStore, limits })).ask(method, { ...params, ...said() })
    await vi.advanceTimersByTimeAsync(5_001)
    expect((await asked).error?.code).toBe(-32603)
  })

  const signals: AbortSignal[] = []
  const hang = ({ signal }: { signal: AbortSignal }) => {
    signals.push(signal)
    return never()
  }
  const hanging = (more: object) => ({
    resources: { note: resource({ ...more, uri: 'note:1', read: hang }) },
    prompts: {
      greet: prompt({ ...more, args: { who: { complete: (...[, , , ctx]) => hang(ctx) } }, run: (_, ctx) => hang(ctx) }),
    },
  })

  describe.each([
    [60_000, {}],
    [400, { timeout: 400 }],
  ])('after %i ms', (ms, more) => {
    it.each(reads)('if its handler hangs (%s), which is told to stop, and the record has the reason', async (method, params) => {
      const kept: AuditRecord[] = []
      const app = made({ ...hanging(more), policies: [audit({ write: (record) => void kept.push(record) })] })
      const asked = new Pipe(app).ask(method, { ...params, ...said() })
      await vi.advanceTimersByTimeAsync(ms + 1)
      const message = `${method} did not finish within ${ms} ms and was stopped`
      expect((await asked).error).toMatchObject({ code: -32603, message })
      expect(signals.at(-1)?.aborted).toBe(true)
      expect(kept.at(-1)).toMatchObject({ kind: 'outcome', decision: 'allowed', outcome: 'failed', reason: 'timed-out' })
    })
  })
})
