import { randomBytes } from 'node:crypto'
import { jsonSchema, server, tool } from 'toolwire'
import { approvalQueue, approve, memoryApprovals } from 'toolwire/guard'
import { harness } from 'toolwire/testing'
import { afterEach, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest'
import { displayOf } from '../../../toolwire/src/policy/approve/approval.js'
import { expectWithin, howMany } from '../../../toolwire/test/soak.js'
import { newApprovalOf, recordText } from '../../src/store/approvals/approval-records.js'
import type { ApprovalRow } from '../../src/store/approvals/approval-row.js'
import { sealedArguments } from '../../src/store/approvals/sealed-arguments.js'
import { storedApprovals } from '../../src/store/approvals/stored-approvals.js'
import { approvalRows } from '../../src/store/database/approvals/approval-rows.js'
import { openDatabase } from '../../src/store/database/connection.js'
import { migrate } from '../../src/store/database/migrations.js'
import { monotonicNow } from '../../src/store/database/thread/messages.js'
import { storeSealers } from '../../src/store/secrets/seal.js'
import type { ApprovalListener } from '../../src/store/store-client.js'
import { asked } from '../support/approval-requests.js'
import { newDirectory, newStore } from '../support/stores.js'
import { read, tamper } from '../support/tampered-log.js'
import { approvalsModel } from './approvals-model.js'
import { approvalsSuite, type OpenApprovals } from './approvals-suite.js'

const open = () => new AbortController().signal

/** The monotonic clock, which tests can advance. */
function clockAhead() {
  let ahead = 0
  const wait = (ms: number) => {
    ahead += ms
  }
  return { now: () => monotonicNow() + ahead, wait }
}

const longMs = 1e12

const stored: OpenApprovals = async (kept = 0, caller) => {
  const { now, wait } = clockAhead()
  const directory = newDirectory()
  if (kept > 0) {
    await (await newStore({}, directory)).close()
    tamper(directory, allowed(kept, caller))
  }
  const { approvals } = await newStore({ now }, directory)
  return { store: approvals, wait }
}

/** SQL that adds allowed requests, of one caller or each of another one. */
const allowed = (count: number, caller?: string) => `
  WITH RECURSIVE numbers (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < ${count})
  INSERT INTO approvals (id, caller, call_digest, digest, held, asked, expires, waits, until, live, state)
  SELECT 'other ' || n, ${caller === undefined ? `'other ' || n` : `'${caller}'`}, 'other ' || n, '', 0, '{}', ${Date.now() + longMs}, ${longMs}, 0, 1, 'allowed' FROM numbers`

const inMemory: OpenApprovals = async (kept = 0, caller) => {
  const { now, wait } = clockAhead()
  const store = memoryApprovals(now)
  for (let n = 0; n < kept; n++) {
    const other = asked({ caller: caller ?? `other ${n}`, expiresAt: Date.now() + longMs })
    store.add(other, 1)
    store.decide(other.id, 'allow')
  }
  return { store, wait }
}

approvalsSuite('in memory', inMemory)
approvalsModel('in memory', inMemory)

approvalsSuite('in the database', stored)
approvalsModel('in the database', stored)

describe('after a restart', () => {
  it('pending requests are listed unchanged, and a retried call finds the decision, once', async () => {
    const directory = newDirectory()
    const before = await newStore({}, directory)
    const request = asked({ callDigest: 'same', arguments: { deep: [{ a: -1.5, b: null, c: 'ü\u2028' }] } })
    await before.approvals.add(request, 100)
    await before.close()
    const { approvals } = await newStore({}, directory)
    expect(await approvals.pending()).toEqual([{ ...request, held: false }])
    expect(await approvals.decide(request.id, 'allow')).toBe(true)
    expect(await approvals.matching('same')).toMatchObject({
      asked: { id: request.id, expiresAt: request.expiresAt },
      is: { state: 'allowed' },
    })
    expect(await approvals.release(request.id, request.digest)).toBe(true)
    expect(await approvals.release(request.id, request.digest)).toBe(false)
  })

  it('the state of a request is found by its call, without the arguments', async () => {
    const { approvals } = await newStore({}, newDirectory())
    expect(await approvals.matchingState('same')).toBeUndefined()
    const request = { ...asked({ callDigest: 'same', arguments: { a: 1 } }), held: false }
    await approvals.add(request, 100)
    expect(await approvals.matchingState('same')).toEqual({ id: request.id, state: 'pending' })
    await approvals.decide(request.id, 'deny')
    expect(await approvals.matchingState('same')).toEqual({ id: request.id, state: 'denied' })
  })

  it('a call runs once when its client retries with the same arguments', async () => {
    const directory = newDirectory()
    const sentTo: string[] = []
    const send = tool({
      description: 'Sends.',
      input: jsonSchema<{ to: string }>({ type: 'object' }),
      run: ({ to }) => `${sentTo.push(to)}`,
    })
    const attempt = async (to: string) => {
      const store = await newStore({}, directory)
      const policies = [approve({ ask: approvalQueue(store.approvals, { hold: false }) })]
      await using client = await harness(server({ name: 'mail', version: '1.0.0', tools: { send }, policies }))
      const answer = JSON.stringify(await client.call('send', { to }))
      const [first] = await store.approvals.pending()
      if (first) await store.approvals.decide(first.id, 'allow')
      await store.close()
      return answer
    }
    expect(await attempt('ada')).toContain('waits for approval')
    expect(await attempt('bob')).toContain('waits for approval')
    expect(sentTo).toEqual([])
    await attempt('ada')
    expect(sentTo).toEqual(['ada'])
    expect(await attempt('ada')).toContain('waits for approval')
  })

  it('an unused decision is present, and a used one is not', async () => {
    const directory = newDirectory()
    const before = await newStore({}, directory)
    const [unused, used, denied] = [asked(), asked(), asked()]
    for (const one of [unused, used, denied]) await before.approvals.add(one, 100)
    await before.approvals.decide(unused.id, { allow: true, always: { forMs: 10 } })
    await before.approvals.decide(used.id, 'allow')
    await before.approvals.release(used.id, used.digest)
    await before.approvals.decide(denied.id, { deny: 'never' })
    await before.close()
    const { approvals } = await newStore({}, directory)
    expect((await approvals.matching(unused.callDigest))?.is).toEqual({ state: 'allowed', always: { forMs: 10 } })
    expect(await approvals.matching(used.callDigest)).toBeUndefined()
    expect(await approvals.release(used.id, used.digest)).toBe(false)
    expect((await approvals.matching(denied.callDigest))?.is).toEqual({ state: 'denied', why: 'never' })
  })

  it('expired requests are not listed, and of identical pending calls one is', async () => {
    const directory = newDirectory()
    const before = await newStore({}, directory)
    const [over, first, second] = [
      asked({ expiresAt: Date.now() + 30 }),
      asked({ callDigest: 'twice' }),
      asked({ callDigest: 'twice' }),
    ]
    for (const one of [over, first, second]) expect(await before.approvals.add(one, 100)).toBe('added')
    await before.close()
    await new Promise((resolve) => setTimeout(resolve, 40))
    const { approvals } = await newStore({}, directory)
    expect((await approvals.pending()).map(({ id }) => id)).toEqual([second.id])
    expect(await approvals.decide(over.id, 'allow')).toBe(false)
    expect(await approvals.decide(first.id, 'allow')).toBe(false)
  })

  it('a clock set back an hour prolongs no request, neither in this process nor after a restart', async () => {
    const directory = newDirectory()
    const clock = clockAhead()
    const before = await newStore({ now: clock.now }, directory)
    const [one, other] = [asked({ expiresAt: Date.now() + 60_000 }), asked({ expiresAt: Date.now() + 120_000 })]
    for (const request of [one, other]) await before.approvals.add(request, 100)
    vi.setSystemTime(Date.now() - 3_600_000)
    clock.wait(60_001)
    expect((await before.approvals.pending()).map(({ id }) => id)).toEqual([other.id])
    await before.close()
    const after = clockAhead()
    const { approvals } = await newStore({ now: after.now }, directory)
    vi.useRealTimers()
    expect((await approvals.pending()).map(({ id }) => id)).toContain(other.id)
    after.wait(120_001)
    expect(await approvals.decide(other.id, 'allow')).toBe(false)
  })
})

describe('the history', () => {
  it('shows a denial, even after its waiting caller has gone, and after a restart', async () => {
    const directory = newDirectory()
    const first = await newStore({}, directory)
    const [gone, twice, again] = [asked(), asked({ callDigest: 'the same' }), asked({ callDigest: 'the same' })]
    for (const one of [gone, twice, again]) {
      await first.approvals.add(one, 10)
      await first.approvals.decide(one.id, 'deny')
    }
    await first.approvals.withdraw(gone.id)
    expect((await first.approvals.history()).map(({ is }) => is.state)).toEqual(['denied', 'denied', 'denied'])
    await first.close()
    const { approvals } = await newStore({}, directory)
    expect((await approvals.history()).map(({ is }) => is.state)).toEqual(['denied', 'denied', 'denied'])
  })

  it('shows the outcomes of requests, latest first', async () => {
    const { approvals } = await newStore()
    const [allowed, denied, gone] = [asked(), asked(), asked()]
    for (const one of [allowed, denied, gone]) await approvals.add(one, 100)
    await approvals.decide(allowed.id, 'allow')
    await approvals.release(allowed.id, allowed.digest)
    await approvals.decide(denied.id, { deny: 'no' })
    await approvals.withdraw(gone.id)
    const past = await approvals.history()
    expect(past.map(({ asked: { id }, is }) => [id, is])).toEqual([
      [gone.id, { state: 'gone' }],
      [denied.id, { state: 'denied', why: 'no' }],
      [allowed.id, { state: 'released' }],
    ])
    for (const { settledAt } of past) expect(settledAt).toBeGreaterThan(Date.now() - 60_000)
  })

  it('is limited', async () => {
    const { approvals } = await newStore()
    for (let n = 0; n < 1_100; n++) {
      const one = asked()
      void approvals.add(one, 100)
      void approvals.withdraw(one.id)
    }
    await approvals.add(asked(), 100)
    expect(await approvals.history(5_000)).toHaveLength(1_000)
  })
})

describe('expired requests', () => {
  beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] }))
  afterEach(() => void vi.useRealTimers())

  it('are marked without another request, even if all of them were decided', async () => {
    const { now, wait } = clockAhead()
    const { approvals } = await newStore({ now })
    const [unused, denied] = [asked({ expiresAt: Date.now() + 60_000 }), asked({ expiresAt: Date.now() + 60_000 })]
    for (const one of [unused, denied]) await approvals.add(one, 10)
    await approvals.decide(unused.id, 'allow')
    await approvals.decide(denied.id, 'deny')
    const states = async () => {
      await vi.advanceTimersByTimeAsync(5_000)
      return (await approvals.history()).map(({ is }) => is.state)
    }
    expect(await states()).toEqual(['denied', 'allowed'])
    wait(60_001)
    await expect.poll(states).toEqual(['denied', 'expired'])
  })

  it('are marked after a failed attempt, and after the gateway that added them has died', async () => {
    const live: (number | undefined)[] = [undefined, 0]
    let sweeps = 0
    let ask: ApprovalListener | undefined
    const client = {
      run: async (job: string) => (job === 'sealedApprovalAfter' ? undefined : []),
      async write() {
        const found = live[sweeps++]
        if (found === undefined) throw new Error('away')
        return found
      },
      changes: {
        onApproval: (listener: ApprovalListener) => {
          ask = listener
        },
      },
    }
    const { approvals: sealer } = storeSealers(randomBytes(32))
    const approvals = await storedApprovals(client as never, sealer, () => undefined)
    const sweepsIn = async (ms: number) => {
      await vi.advanceTimersByTimeAsync(ms)
      return sweeps
    }
    expect(await sweepsIn(60_000)).toBe(2)
    live.push(1, 0)
    ask?.('elsewhere', { text: recordText(asked()), held: false, state: 'pending' } as ApprovalRow)
    expect(await sweepsIn(60_000)).toBe(4)
    live.push(1, 1, 1)
    ask?.('another', { text: recordText(asked()), held: false, state: 'pending' } as ApprovalRow)
    expect(await sweepsIn(5_000)).toBe(5)
    approvals.close()
    expect(await sweepsIn(60_000)).toBe(5)
  })
})

describe('long arguments', () => {
  const hidden = { text: '\u200b'.repeat(300_000) }

  it('are shown unchanged after a restart, although their display is not stored', async () => {
    const directory = newDirectory()
    const before = await newStore({}, directory)
    const long = asked({ arguments: hidden, display: await displayOf(hidden) })
    await before.approvals.add(long, 10)
    await before.close()
    const { approvals: after } = await newStore({}, directory)
    const found = (await after.find(long.id))?.asked
    expect([found?.arguments.text === hidden.text, found?.display === long.display]).toEqual([true, true])
    expect(read(directory, 'SELECT length(sealed) < 901000 AS short FROM approvals')).toEqual([{ short: 1 }])
  })

  it('of one request do not displace earlier requests from memory', async () => {
    const { approvals: store } = await newStore()
    const small = asked({ arguments: { say: 'this' } })
    await store.add(small, 10)
    await store.decide(small.id, 'deny')
    const text = 'x'.repeat(9 * 1_024 * 1_024)
    const large = asked({ arguments: { text }, display: text })
    await store.add(large, 10)
    expect((await store.find(small.id))?.asked.arguments).toEqual({ say: 'this' })
    expect((await store.find(large.id))?.asked.arguments.text === text).toBe(true)
  })
})

describe('thousands of requests', () => {
  it('are loaded soon after a restart, and shown at once', async () => {
    const directory = newDirectory()
    const before = await newStore({}, directory)
    const many = howMany(2_000, 10_000)
    await Promise.all(Array.from({ length: many }, (_, n) => before.approvals.add(asked({ caller: `caller ${n % 200}` }), 100)))
    await before.close()
    const began = performance.now()
    const { approvals } = await newStore({}, directory)
    expectWithin(performance.now() - began, 2_000)
    const asks = performance.now()
    expect(await approvals.pending(100)).toHaveLength(100)
    expectWithin(performance.now() - asks, 300)
    expect(await approvals.pending(20_000)).toHaveLength(many)
    expect(await approvals.settled('nobody knows', open())).toEqual({ state: 'gone' })
  })
})

describe('sealed arguments on disk', () => {
  const mebibyte = 1024 * 1024
  const long = (caller: string, length = 4 * mebibyte) => asked({ caller, arguments: { text: 'x'.repeat(length) } })

  it('are limited to 64 MiB for each caller, and short ones are always stored', async () => {
    const directory = newDirectory()
    const before = await newStore({}, directory)
    const first = long('eve')
    expect(await before.approvals.add(first, 100)).toBe('added')
    for (let n = 0; n < 14; n++) expect(await before.approvals.add(long('eve'), 100)).toBe('added')
    expect(await before.approvals.add(long('eve'), 100)).toBe('full')
    await before.close()
    const { approvals } = await newStore({}, directory)
    expect(await approvals.add(long('eve'), 100)).toBe('full')
    expect(await approvals.add(long('eve', 10), 100)).toBe('added')
    expect(await approvals.add(long('bob'), 100)).toBe('added')
    await approvals.decide(first.id, 'deny')
    expect(await approvals.add(long('eve'), 100)).toBe('added')
  })

  it('are limited over all callers, and decided or expired requests make room', () => {
    const database = openDatabase(':memory:')
    onTestFinished(() => void database.close())
    migrate(database)
    let now = 0
    const rows = approvalRows(database, () => now, { each: 2_000, all: 3_000, short: 10 })
    const calls = sealedArguments({ seal: (text) => Buffer.from(text), open: (bytes) => Buffer.from(bytes).toString() })
    const add = (caller: string) => {
      const request = long(caller, 900)
      return { id: request.id, added: rows.add(newApprovalOf(request, calls), 100) }
    }
    const first = add('ada')
    expect([first.added, add('bob').added, add('eve').added, add('ida').added]).toEqual(['added', 'added', 'added', 'full'])
    rows.decide(first.id, { state: 'denied' })
    const next = add('ida')
    expect([next.added, add('ida').added]).toEqual(['added', 'full'])
    rows.withdraw(next.id)
    expect([add('ida').added, add('ida').added]).toEqual(['added', 'full'])
    now += 300_001
    expect(add('ida').added).toBe('added')
  })
})
