// Reads are audited like calls, and never wait endlessly for a log, a limit store or a completer.
import { prompt, resource, server } from 'toolwire'
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

  it('if a completer hangs', async () => {
    const argument = { name: 'whom', value: '' }
    const params = { ref: { type: 'ref/prompt', name: 'greet' }, argument }
    const asked = new Pipe(made()).ask('completion/complete', { ...params, ...said() })
    await vi.advanceTimersByTimeAsync(60_001)
    expect((await asked).error).toMatchObject({ code: -32603, message: 'Not finished within 60000 ms' })
  })
})
