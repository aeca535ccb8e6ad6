import { afterEach, describe, expect, it, vi } from 'vitest'
import { type AuditOptions, audit } from '../../../src/policy/audit/index.js'
import { auditLog } from '../../../src/policy/audit/log.js'
import { memoryAudit } from '../../../src/policy/audit/memory-log.js'
import type { AuditRecord } from '../../../src/policy/audit/record.js'
import { verifyAudit } from '../../../src/policy/audit/verify.js'
import { Refusal } from '../../../src/tools/refusal.js'
import { SuspendedForInput } from '../../../src/tools/suspension.js'
import { callOf, done, through, toolOf } from '../call.js'
import { slowSink } from './records.js'

afterEach(() => void vi.useRealTimers())

type Options = Omit<AuditOptions, 'log' | 'write'> & { write?: (record: AuditRecord) => void | Promise<void> }

function auditing(options: Options = {}) {
  const records: AuditRecord[] = []
  return { records, policy: audit({ write: (record) => void records.push(record), ...options }) }
}

describe('audit records', () => {
  it('SECC-004 have the caller, the tool, the arguments and the outcome', async () => {
    const { policy, records } = auditing()
    expect((await through(policy, callOf())).result).toBe(done)
    const common = {
      id: records[0]?.id,
      server: 'mail',
      tool: 'send',
      caller: 'eve',
      definitionHash: expect.stringMatching(/^sha256:/),
    }
    const digest = { type: 'object', length: 1, hmac: expect.stringMatching(/^[0-9a-f]{64}$/) }
    expect(records).toEqual([
      { kind: 'intent', ...common, at: expect.any(Number), arguments: digest },
      { kind: 'outcome', ...common, at: expect.any(Number), decision: 'allowed', outcome: 'ok', durationMs: expect.any(Number) },
    ])
  })

  it('distinguish success, failure and refusal', async () => {
    const { policy, records } = auditing()
    await through(policy, callOf(), { ...done, isError: true })
    for (const reason of ['not-approved', 'timed-out', 'unsafe-result'] as const) {
      const { refusal } = await through(policy, callOf(), new Refusal(reason, 'no'))
      expect(refusal?.message).toBe('no')
    }
    expect((await through(policy, callOf(), new TypeError('broken'))).refusal?.message).toBe('broken')
    expect(records.filter(({ kind }) => kind === 'outcome')).toMatchObject([
      { decision: 'allowed', outcome: 'error' },
      { decision: 'refused', outcome: 'refused', reason: 'not-approved' },
      { decision: 'allowed', outcome: 'failed', reason: 'timed-out' },
      { decision: 'allowed', outcome: 'failed', reason: 'unsafe-result' },
      { decision: 'allowed', outcome: 'failed' },
    ])
  })

  it('note questions, and link the records of the round with the answer', async () => {
    const { policy, records } = auditing()
    const question = new SuspendedForInput()
    expect((await through(policy, callOf(), question)).refusal).toBe(question)
    const call = callOf()
    await through(policy, { ...call, context: { ...call.context, continued: true } })
    expect(records).toMatchObject([
      { kind: 'intent' },
      { kind: 'outcome', decision: 'allowed', outcome: 'asked' },
      { kind: 'intent', continued: true },
      { kind: 'outcome', continued: true, outcome: 'ok' },
    ])
    expect(records[0]?.continued).toBeUndefined()
  })

  it('note that a caller cancelled, except for a refused call', async () => {
    const { policy, records } = auditing()
    const signal = AbortSignal.abort()
    await through(policy, callOf({ signal }), signal.reason)
    await through(policy, callOf({ signal }), { ...done, isError: true })
    await through(policy, callOf({ signal }))
    await through(policy, callOf({ signal }), new Refusal('timed-out', 'no'))
    await through(policy, callOf({ signal }), new Refusal('forbidden', 'no'))
    expect(records.filter(({ kind }) => kind === 'outcome')).toMatchObject([
      { decision: 'allowed', outcome: 'cancelled' },
      { decision: 'allowed', outcome: 'cancelled' },
      { decision: 'allowed', outcome: 'ok' },
      { decision: 'allowed', outcome: 'failed', reason: 'timed-out' },
      { decision: 'refused', outcome: 'refused', reason: 'forbidden' },
    ])
  })

  it('have the outcome of a call that a policy ended before its handler returned', async () => {
    const { policy, records } = auditing()
    const refusal = new Refusal('forbidden', 'no')
    const stop = () => {
      throw refusal
    }
    await expect(policy.call?.(callOf(), stop)).rejects.toBe(refusal)
    expect(records[1]).toMatchObject({ decision: 'refused', reason: 'forbidden' })
  })

  it('have a unique call id', async () => {
    const { policy, records } = auditing()
    for (let count = 0; count < 3; count++) await through(policy, callOf())
    await through(audit({ write: (record) => void records.push(record) }), callOf())
    expect(new Set(records.map(({ id }) => id)).size).toBe(4)
  })

  it('distinguish servers with the same tool', async () => {
    const { policy, records } = auditing()
    const tool = toolOf()
    for (const server of ['mail', 'post']) await through(policy, callOf({ server }, tool))
    expect(records.map(({ server }) => server)).toEqual(['mail', 'mail', 'post', 'post'])
  })

  it('have untrusted names on one line', async () => {
    const { policy, records } = auditing()
    await through(policy, callOf({ server: 'mail\n{"kind":"outcome"}', listed: { name: 'a\u001b[2J\u202e' } }))
    expect(records[0]).toMatchObject({ server: 'mail\\u{a}{"kind":"outcome"}', tool: 'a\\u{1b}[2J\\u{202e}' })
    const log = memoryAudit()
    const odd = 'a\u202e\n"'
    const inputSchema = { properties: { [odd]: {}, ['__proto__']: {}, ['long'.repeat(100)]: {} } }
    const args = JSON.parse('{"__proto__":1}')
    await through(
      audit({ log, redact: 'each' }),
      callOf({ caller: odd, listed: { inputSchema }, arguments: { ...args, [odd]: 1, ['long'.repeat(100)]: 1 } }),
    )
    const [intent] = log.lines().map((line) => JSON.parse(line))
    expect(intent).toMatchObject({ caller: 'a\\u{202e}\\u{a}"', arguments: { length: 3 } })
    expect(Object.keys(intent.arguments.named)).toEqual(['a\\u{202e}\\u{a}"'])
  })
})

describe('redaction', () => {
  const inputSchema = { type: 'object', properties: { to: {}, body: {}, cc: {}, n: {}, none: {} } }
  const secret = { to: 'correct horse', body: { pin: 'battery' }, cc: ['staple', 'ada'], n: 4711, none: null, 'sk-live-1': 'x' }
  const key = new Uint8Array(32).fill(7)

  async function written(options: Options, args: typeof secret | object = secret) {
    const { policy, records } = auditing(options)
    await through(policy, callOf({ listed: { inputSchema }, arguments: { ...args } }))
    const [intent] = records
    return intent?.kind === 'intent' ? intent.arguments : {}
  }

  it('removes values and names', async () => {
    const kept = await written({})
    expect(kept).toEqual({ type: 'object', length: 6, hmac: expect.stringMatching(/^[0-9a-f]{64}$/) })
  })

  it('removes names that are not in the schema, and describes the type of other values', async () => {
    const kept = await written({ redact: 'each' })
    const words = JSON.stringify(kept).replaceAll(/"hmac":"[0-9a-f]{64}"/g, '')
    expect(words).not.toMatch(/horse|pin|battery|staple|ada|4711|sk-live/)
    expect(kept).toMatchObject({
      type: 'object',
      length: 6,
      named: {
        to: { type: 'string', length: 13 },
        body: { type: 'object', length: 1 },
        cc: { type: 'array', length: 2 },
        n: { type: 'number' },
        none: { type: 'null' },
      },
    })
  })

  it('allows matching equal values with the key, and differs under another key', async () => {
    const one = await written({ key })
    expect(await written({ key }, Object.fromEntries(Object.entries(secret).reverse()))).toMatchObject({ hmac: one.hmac })
    expect((await written({ key }, { ...secret, n: 4712 })).hmac).not.toBe(one.hmac)
    expect((await written({ key: new Uint8Array(32) })).hmac).not.toBe(one.hmac)
    expect((await written({})).hmac).not.toBe((await written({})).hmac)
  })

  it.each([undefined, 'each'] as const)('digests many unsorted arguments in slices like few (redact: %s)', async (redact) => {
    const rows = Array.from({ length: 3_000 }, (_, n) => ({ n, a: 'x' }))
    const sorted = Array.from({ length: 3_000 }, (_, n) => ({ a: 'x', n }))
    const of = async (body: object) => written({ key, redact }, { to: 'a', body, none: undefined })
    expect(await of(rows)).toEqual(await of(sorted))
    expect(await of(rows)).not.toEqual(await of(rows.slice(1)))
  })

  it('keeps the arguments unchanged if configured', async () => {
    const { policy, records } = auditing({ redact: 'none' })
    const call = callOf({ arguments: { list: [1] } })
    await through(policy, call)
    Object.assign(call.arguments, { list: [2] })
    expect(records[0]).toMatchObject({ arguments: { list: [1] } })
  })

  it('is not misled by the names of arguments', async () => {
    const { policy, records } = auditing({ redact: 'each' })
    const odd = JSON.parse('{"__proto__":{"type":"x"}}')
    await through(policy, callOf({ listed: { inputSchema: { properties: odd } }, arguments: odd }))
    const [intent] = records
    const named = intent?.kind === 'intent' ? intent.arguments.named : undefined
    expect(named).toEqual({})
    expect(Object.getPrototypeOf(named)).toBe(Object.prototype)
  })

  it('refuses the call if it fails', async () => {
    const { policy } = auditing({ redact: () => JSON.parse('{') })
    expect(await through(policy, callOf())).toMatchObject({ sent: [], refusal: { reason: 'unrecorded' } })
  })
})

describe('an audit log', () => {
  it('SECS-006 has a line for each record, without secrets at any depth', async () => {
    const log = memoryAudit()
    const secrets = { deep: [{ pin: [4711, { 'sk-live': 'correct horse' }] }], n: 271828, flag: 'battery', 'sk-test': 'staple' }
    const inputSchema = { properties: { deep: {}, n: {}, flag: {} } }
    await through(audit({ log }), callOf({ listed: { inputSchema }, arguments: secrets }))
    await through(
      audit({ log, redact: () => ({ ref: 'ticket 7' }) }),
      callOf({ arguments: secrets }),
      new Refusal('forbidden', 'no'),
    )
    const lines = log.lines()
    expect(lines).toHaveLength(4)
    const words = lines.join('').replaceAll(/[0-9a-f]{64}|"(?:at|durationMs)":[\d.]+|"id":"[^"]+"/g, '')
    expect(words).not.toMatch(/4711|271828|horse|battery|staple|sk-|pin/)
    expect(lines.map((line) => JSON.parse(line))).toMatchObject([
      { sequence: 1, kind: 'intent', server: 'mail', tool: 'send', caller: 'eve', arguments: { type: 'object', length: 4 } },
      { sequence: 2, kind: 'outcome', decision: 'allowed', outcome: 'ok', durationMs: expect.any(Number) },
      { sequence: 3, kind: 'intent', arguments: { ref: 'ticket 7' } },
      { sequence: 4, kind: 'outcome', decision: 'refused', outcome: 'refused', reason: 'forbidden' },
    ])
    expect(await verifyAudit(lines, { head: log.head })).toMatchObject({ ok: true })
  })

  it('has the same content as the record', async () => {
    const log = memoryAudit()
    const key = new Uint8Array(32)
    const { policy, records } = auditing({ key })
    const call = callOf({ listed: { inputSchema: { properties: { to: {}, n: {} } } }, arguments: { to: 'ada', n: 1, more: [] } })
    await through(policy, call)
    await through(audit({ log, key }), call)
    const kept = log.lines().map((line) => JSON.parse(line))
    for (const [index, record] of records.entries()) {
      const { id, at, durationMs, ...said } = JSON.parse(JSON.stringify(record))
      expect(kept[index]).toMatchObject(said)
      const own = ['sequence', 'previous', 'hash', 'id', 'at', ...(durationMs === undefined ? [] : ['durationMs'])]
      expect(Object.keys(kept[index]).sort()).toEqual([...Object.keys(said), ...own].sort())
    }
  })

  it('is shared by policies with concurrent calls', async () => {
    const log = memoryAudit()
    const policies = [audit({ log }), audit({ log })]
    await Promise.all(policies.flatMap((policy) => [1, 2, 3].map(() => through(policy, callOf()))))
    expect(await verifyAudit(log.lines(), { head: log.head })).toMatchObject({ ok: true, entries: 12 })
  })

  it('is not awaited if it answers synchronously', async () => {
    const steps: string[] = []
    const next = async () => {
      steps.push('called')
      return done
    }
    const ended = audit({ log: memoryAudit() }).call?.(callOf(), next)
    steps.push('next line')
    void ended?.then(() => steps.push('returned'))
    await Promise.resolve()
    await Promise.resolve()
    expect(steps).toEqual(['called', 'next line', 'returned'])
  })

  it.each<Pick<AuditOptions, 'redact'>>([
    {},
    { redact: 'each' },
    { redact: 'none' },
    { redact: ({ arguments: { to } }) => ({ to: to ?? '' }) },
  ])('yields to other work before a call whose arguments took long to record: %o', async (options) => {
    vi.useFakeTimers({ toFake: ['performance'] })
    for (const tookMs of [1, 1_000]) {
      // Three turns pass first, so that earlier work does not count.
      for (let n = 0; n < 3; n++) await new Promise((resolve) => setImmediate(resolve))
      const turns: string[] = []
      const given = {
        get to() {
          vi.advanceTimersByTime(tookMs)
          return 'ada'
        },
      }
      const policy = audit({ write: () => undefined, ...options })
      setImmediate(() => turns.push('other'))
      await policy.call?.(callOf({ arguments: given, listed: { inputSchema: { properties: { to: {} } } } }), async () => {
        turns.push('called')
        return done
      })
      expect(turns[0]).toBe(tookMs === 1 ? 'called' : 'other')
    }
  })

  it('that hangs causes refusals with a reason, and later records the outcomes', async () => {
    const { sink, batches, written } = slowSink()
    const policy = audit({ log: auditLog(sink), waitMs: 20 })
    const refused = await Promise.all([1, 2].map(() => through(policy, callOf())))
    for (const one of refused) expect(one).toMatchObject({ sent: [], refusal: { reason: 'unrecorded' } })
    expect(policy.trouble).toMatchObject({ message: 'No answer within 20 ms' })
    for (let count = 0; count < 4; count++) await written()
    const again = through(policy, callOf())
    await written()
    await written()
    expect((await again).result).toBe(done)
    expect(policy.trouble).toBeUndefined()
    const records = batches.flat().map(({ text }) => JSON.parse(text))
    const [first, second, third] = [...new Set(records.map(({ id }) => id))]
    const endings = [first, second, third].map((id) => records.filter((record) => record.id === id).map(({ outcome }) => outcome))
    expect(endings).toEqual([
      [undefined, 'refused'],
      [undefined, 'refused'],
      [undefined, 'ok'],
    ])
  })
})

describe('a call without a record', () => {
  it('is prevented: it waits for the intent, and its result waits for the outcome', async () => {
    const events: string[] = []
    const write = async ({ kind }: AuditRecord) => {
      await new Promise((resolve) => setTimeout(resolve, 5))
      events.push(kind)
    }
    await audit({ write }).call?.(callOf(), async () => {
      events.push('called')
      return done
    })
    expect([...events, 'returned']).toEqual(['intent', 'called', 'outcome', 'returned'])
  })

  it.each([() => JSON.parse('{'), () => Promise.reject(null)])('is refused if the intent cannot be written', async (write) => {
    const { policy } = auditing({ write })
    expect(await through(policy, callOf())).toMatchObject({ sent: [], refusal: { name: 'Refusal', reason: 'unrecorded' } })
  })

  it('is refused if the intent is not written within five seconds, until the log recovers', async () => {
    vi.useFakeTimers()
    let stuck = true
    const { policy } = auditing({ write: () => (stuck ? new Promise(() => undefined) : undefined) })
    const outcome = through(policy, callOf())
    await vi.waitFor(() => expect(vi.getTimerCount()).toBe(1), 60_000)
    await vi.advanceTimersByTimeAsync(5_000)
    expect(await outcome).toMatchObject({ sent: [], refusal: { reason: 'unrecorded' } })
    expect(policy.trouble).toBeInstanceOf(Error)
    stuck = false
    expect((await through(policy, callOf())).result).toBe(done)
    expect(policy.trouble).toBeUndefined()
  })

  it('withholds its result if the outcome cannot be written, and says that the call was made', async () => {
    const write = ({ kind }: AuditRecord) => (kind === 'outcome' ? Promise.reject(new Error('disk full')) : undefined)
    const { sent, refusal, result } = await through(audit({ write }), callOf())
    expect(sent).toHaveLength(1)
    expect(result).toBeUndefined()
    expect(refusal).toMatchObject({ reason: 'unrecorded', message: expect.stringContaining('was made') })
    const denied = await through(audit({ write }), callOf(), new Refusal('not-approved', 'no'))
    expect(denied.refusal?.message).toContain('was refused')
  })
})
