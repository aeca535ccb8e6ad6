// Decisions about one server never apply to another server of the same name.
import { describe, expect, it } from 'vitest'
import { approvalQueue } from '../../../src/policy/approve/approval-queue.js'
import { memoryGrants } from '../../../src/policy/approve/grants.js'
import { approve } from '../../../src/policy/approve/index.js'
import { memoryApprovals } from '../../../src/policy/approve/memory-store.js'
import { audit } from '../../../src/policy/audit/index.js'
import { memoryAudit } from '../../../src/policy/audit/memory-log.js'
import type { AuditRecord } from '../../../src/policy/audit/record.js'
import { recordWriter } from '../../../src/policy/audit/record-text.js'
import { pin } from '../../../src/policy/pin/index.js'
import { memoryPins } from '../../../src/policy/pin/store.js'
import { callOf, done, through } from '../call.js'

const [one, other] = ['v1:1111111111111111aaaa', 'v1:2222222222222222bbbb']
const callTo = (serverIdentity?: string) => callOf(serverIdentity === undefined ? {} : { serverIdentity })

describe('a pin', () => {
  it.each([
    ['another server', other],
    ['a server without a known identity', undefined],
  ])('does not apply to %s with the same definition, until it is accepted for that server', async (_, now) => {
    const policy = pin({ store: memoryPins() })
    expect((await through(policy, callTo(one))).result).toBe(done)
    const { refusal, sent } = await through(policy, callTo(now))
    expect(refusal).toMatchObject({ reason: 'definition-changed', message: expect.stringContaining('another server') })
    expect(sent).toEqual([])
    const [drift] = policy.drifted()
    expect(drift).toMatchObject({ changes: [], anotherServer: { accepted: one } })
    const { hash = '' } = drift ?? {}
    if (now !== undefined) await expect(policy.accept('mail', 'send', hash)).rejects.toThrow('serverIdentity')
    await expect(policy.accept('mail', 'send', hash, one)).rejects.toThrow('another server')
    await policy.accept('mail', 'send', hash, now)
    expect((await through(policy, callTo(now))).result).toBe(done)
    expect((await through(policy, callTo(one))).refusal).toMatchObject({ reason: 'definition-changed' })
  })

  it('applies again when the accepted server is back, and nothing stays pending', async () => {
    const policy = pin({ hide: true, serverOf: () => 'mail' })
    await through(policy, callTo(one))
    await through(policy, callTo(other))
    expect(policy.list?.([callTo(other).tool], { id: 'eve', scopes: [] })).toEqual([])
    expect(policy.list?.([callTo(one).tool], { id: 'eve', scopes: [] })).toHaveLength(1)
    expect((await through(policy, callTo(one))).result).toBe(done)
    expect(policy.drifted()).toEqual([])
  })
})

describe('a grant', () => {
  it('covers no call to another server, and is revoked by one', async () => {
    const remember = memoryGrants()
    let asked = 0
    const ask = () => {
      asked++
      return { allow: true, always: { forMs: 60_000 } } as const
    }
    const policy = approve({ ask, remember })
    for (const call of [callTo(one), callTo(one), callTo(other), callTo(other), callTo(one)]) await through(policy, call)
    expect(asked).toBe(3)
    expect(await remember.list()).toMatchObject([{ serverIdentity: one }])
  })
})

describe('a queued approval', () => {
  it('applies to the server of its request, and releases no call to another', async () => {
    const store = memoryApprovals()
    const policy = approve({ ask: approvalQueue(store, { hold: false }) })
    await through(policy, callTo(one))
    const [asked] = await store.pending()
    expect(asked).toMatchObject({ serverIdentity: one })
    expect(await store.decide(asked?.id ?? '', 'allow')).toBe(true)
    const { sent, refusal } = await through(policy, callTo(other))
    expect(sent).toEqual([])
    expect(refusal).toMatchObject({ reason: 'not-approved' })
    expect(await store.pending()).toMatchObject([{ serverIdentity: other }])
    expect((await through(policy, callTo(one))).result).toBe(done)
    expect((await through(policy, callTo(one))).sent).toEqual([])
  })
})

describe('an audit record', () => {
  it('has a short server identity in both halves, with the same text as its JSON', async () => {
    const log = memoryAudit()
    const policy = audit({ log })
    for (const identity of [one, other, undefined]) await through(policy, callTo(identity))
    const kept = log.entries().map(({ text }) => JSON.parse(text) as { serverIdentity?: string })
    const shown = [one.slice(0, 19), other.slice(0, 19), undefined]
    expect(kept.map(({ serverIdentity }) => serverIdentity)).toEqual(shown.flatMap((short) => [short, short]))
    const text = recordWriter()
    const record = (serverIdentity: string): AuditRecord => ({
      ...{ kind: 'intent', id: 'a', at: 1, server: 'mail', serverIdentity, tool: 'send', definitionHash: 'sha256:0' },
      ...{ caller: 'eve', arguments: {} },
    })
    for (const identity of [one, other, one]) expect(JSON.parse(`{${text(record(identity))}}`)).toEqual(record(identity))
  })
})
