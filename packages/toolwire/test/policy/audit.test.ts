import { afterEach, describe, expect, it, vi } from 'vitest'
import { type AuditOptions, audit } from '../../src/policy/audit.js'
import type { AuditRecord } from '../../src/policy/audit-record.js'
import { Refusal } from '../../src/tools/refusal.js'
import { callOf, done, through } from './call.js'

afterEach(() => void vi.useRealTimers())

function auditing(options: Partial<AuditOptions> = {}) {
  const records: AuditRecord[] = []
  return { records, policy: audit({ write: (record) => void records.push(record), ...options }) }
}

describe('records', () => {
  it('SECC-004 writes who wants to call what with which arguments, and how it ended', async () => {
    const { policy, records } = auditing()
    expect((await through(policy, callOf())).result).toBe(done)
    const common = {
      id: records[0]?.id,
      server: 'mail',
      tool: 'send',
      caller: 'eve',
      definitionHash: expect.stringMatching(/^sha256:/),
    }
    const digest = { type: 'object', length: 1, hmac: expect.stringMatching(/^[0-9a-f]{64}$/), named: {} }
    expect(records).toEqual([
      { kind: 'intent', ...common, at: expect.any(Number), arguments: digest },
      { kind: 'outcome', ...common, at: expect.any(Number), decision: 'allowed', outcome: 'ok', durationMs: expect.any(Number) },
    ])
  })

  it('tells success, failure and refusal apart', async () => {
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

  it('writes names of strangers on one line', async () => {
    const { policy, records } = auditing()
    await through(policy, callOf({ server: 'mail\n{"kind":"outcome"}', listed: { name: 'a\u001b[2J\u202e' } }))
    expect(records[0]).toMatchObject({ server: 'mail\\u{a}{"kind":"outcome"}', tool: 'a\\u{1b}[2J\\u{202e}' })
  })
})

describe('redaction', () => {
  const inputSchema = { type: 'object', properties: { to: {}, body: {}, cc: {}, n: {}, none: {} } }
  const secret = { to: 'correct horse', body: { pin: 'battery' }, cc: ['staple', 'ada'], n: 4711, none: null, 'sk-live-1': 'x' }
  const key = new Uint8Array(32).fill(7)

  async function written(options: Partial<AuditOptions>, args: typeof secret | object = secret) {
    const { policy, records } = auditing(options)
    await through(policy, callOf({ listed: { inputSchema }, arguments: { ...args } }))
    const [intent] = records
    return intent?.kind === 'intent' ? intent.arguments : {}
  }

  it('keeps no value, and no name that the schema does not have', async () => {
    const kept = await written({})
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

  it('lets equal values be matched by whoever has the key, and differ under another', async () => {
    const one = await written({ key })
    expect(await written({ key }, Object.fromEntries(Object.entries(secret).reverse()))).toMatchObject({ hmac: one.hmac })
    expect((await written({ key }, { ...secret, n: 4712 })).hmac).not.toBe(one.hmac)
    expect((await written({ key: new Uint8Array(32) })).hmac).not.toBe(one.hmac)
    expect((await written({})).hmac).not.toBe((await written({})).hmac)
  })

  it('keeps the arguments when told so, as they were', async () => {
    const { policy, records } = auditing({ redact: 'none' })
    const call = callOf({ arguments: { list: [1] } })
    await through(policy, call)
    Object.assign(call.arguments, { list: [2] })
    expect(records[0]).toMatchObject({ arguments: { list: [1] } })
  })

  it('refuses when redaction fails', async () => {
    const { policy } = auditing({ redact: () => JSON.parse('{') })
    expect(await through(policy, callOf())).toMatchObject({ sent: [], refusal: { reason: 'unrecorded' } })
  })
})

describe('no record, no call', () => {
  it('makes the call only when the intent is safe, and tells the end only when the outcome is', async () => {
    const events: string[] = []
    const write = async ({ kind }: AuditRecord) => {
      await new Promise((resolve) => setTimeout(resolve, 5))
      events.push(kind)
    }
    await audit({ write }).call?.(callOf(), async () => {
      events.push('called')
      return done
    })
    expect([...events, 'told']).toEqual(['intent', 'called', 'outcome', 'told'])
  })

  it.each([() => JSON.parse('{'), () => Promise.reject(null)])('refuses when the intent cannot be written', async (write) => {
    const { policy } = auditing({ write })
    expect(await through(policy, callOf())).toMatchObject({ sent: [], refusal: { name: 'Refusal', reason: 'unrecorded' } })
  })

  it('refuses when the intent is not written within five seconds, says that there is trouble, and recovers', async () => {
    vi.useFakeTimers()
    let stuck = true
    const { policy } = auditing({ write: () => (stuck ? new Promise(() => undefined) : undefined) })
    const outcome = through(policy, callOf())
    await vi.waitFor(() => expect(vi.getTimerCount()).toBe(1))
    await vi.advanceTimersByTimeAsync(5_000)
    expect(await outcome).toMatchObject({ sent: [], refusal: { reason: 'unrecorded' } })
    expect(policy.trouble).toBeInstanceOf(Error)
    stuck = false
    expect((await through(policy, callOf())).result).toBe(done)
    expect(policy.trouble).toBeUndefined()
  })

  it('withholds a result whose outcome cannot be written, and says that the call was made', async () => {
    const write = ({ kind }: AuditRecord) => (kind === 'outcome' ? Promise.reject(new Error('disk full')) : undefined)
    const { sent, refusal, result } = await through(audit({ write }), callOf())
    expect(sent).toHaveLength(1)
    expect(result).toBeUndefined()
    expect(refusal).toMatchObject({ reason: 'unrecorded', message: expect.stringContaining('was made') })
    const denied = await through(audit({ write }), callOf(), new Refusal('not-approved', 'no'))
    expect(denied.refusal?.message).toContain('was refused')
  })
})
