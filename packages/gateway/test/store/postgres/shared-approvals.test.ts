// Approvals in PostgreSQL: the behavior of every store, and decisions at any gateway.
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type PostgresServer, postgresFound, postgresServer } from '../../../../toolwire/test/postgres-server.js'
import type { ApprovalEvent } from '../../../src/store/approvals/stored-approvals.js'
import { asked } from '../../support/approval-requests.js'
import { fillApprovals, inDatabase, newPostgresStore, passTime } from '../../support/postgres-stores.js'
import { approvalsModel } from '../approvals-model.js'
import { approvalsSuite, type OpenApprovals } from '../approvals-suite.js'

const open = () => new AbortController().signal

describe.skipIf(!postgresFound)('with PostgreSQL', () => {
  let server: PostgresServer
  beforeAll(async () => {
    server = await postgresServer()
  })
  afterAll(() => server.close())

  const alone: OpenApprovals = async (kept = 0, caller) => {
    const url = await server.database()
    const { approvals } = await newPostgresStore(url)
    if (kept > 0) await fillApprovals(url, kept, caller)
    const wait = async (ms: number) => void (await passTime(url, ms))
    return { store: approvals, wait }
  }
  approvalsSuite('in PostgreSQL', alone)
  approvalsModel('in PostgreSQL', alone)

  it('arguments take at most 64 MiB of the database for each caller, 512 MiB for all, and short ones are always stored', async () => {
    const url = await server.database()
    const { approvals } = await newPostgresStore(url)
    const sealed = (mebibytes: number, id: string) =>
      inDatabase(url, `UPDATE toolwire.approvals SET sealed = decode(repeat('00', $1 * 1024 * 1024), 'hex') WHERE id = $2`, [
        mebibytes,
        id,
      ])
    const add = async (caller: string, length = 100_000) => {
      const request = asked({ caller, arguments: { text: 'x'.repeat(length) } })
      return { id: request.id, added: await approvals.add(request, 100) }
    }
    const first = await add('eve')
    await sealed(64, first.id)
    expect((await add('eve')).added).toBe('full')
    expect((await add('eve', 10)).added).toBe('added')
    for (let n = 0; n < 7; n++) await sealed(64, (await add(`caller ${n}`)).id)
    expect((await add('ida')).added).toBe('full')
    expect((await add('ida', 10)).added).toBe('added')
    await approvals.decide(first.id, 'deny')
    expect((await add('ida')).added).toBe('added')
  })

  async function fleet(count: number) {
    const url = await server.database()
    const stores = []
    for (let n = 0; n < count; n++) stores.push(await newPostgresStore(url))
    const [one, two, three = one, ...rest] = stores
    if (!one || !two) throw new Error('The test needs at least two gateways')
    return { url, one, two, three: three ?? one, rest }
  }

  it('one damaged request denies no other when a gateway starts', async () => {
    const { url, one } = await fleet(2)
    const damaged = asked()
    for (const request of [damaged, asked()]) await one.approvals.add(request, 10)
    await inDatabase(url, `UPDATE toolwire.approvals SET sealed = CASE id WHEN $1 THEN '\\x00' ELSE sealed END`, [damaged.id])
    expect(await (await newPostgresStore(url)).approvals.pending()).toHaveLength(2)
  })

  describe('a request that is pending at one gateway', () => {
    it('is decided at another one, and its waiting call receives the decision', async () => {
      const { one, two } = await fleet(2)
      const request = asked({ held: true })
      await one.approvals.add(request, 10)
      const waiting = one.approvals.settled(request.id, open())
      expect((await two.approvals.waiting(request.id))?.asked).toMatchObject({ arguments: request.arguments })
      expect(await two.approvals.decide(request.id, 'allow', 'ada')).toBe(true)
      expect(await waiting).toEqual({ state: 'allowed' })
      expect(await one.approvals.release(request.id, request.digest)).toBe(true)
      expect(await two.approvals.release(request.id, request.digest)).toBe(false)
    })

    it('is decided once of 50 attempts at three gateways, and used once', async () => {
      const { one, two, three } = await fleet(3)
      const all = [one, two, three]
      const at = (n: number) => all[n % 3]?.approvals ?? one.approvals
      const request = asked()
      await one.approvals.add(request, 10)
      const decided = await Promise.all(Array.from({ length: 50 }, (_, n) => at(n).decide(request.id, 'allow', `person ${n}`)))
      expect(decided.filter(Boolean)).toHaveLength(1)
      const used = await Promise.all(Array.from({ length: 50 }, (_, n) => at(n).release(request.id, request.digest)))
      expect(used.filter(Boolean)).toHaveLength(1)
    })

    it('is announced once at every gateway, and marked as from elsewhere at all but its own', async () => {
      const { one, two, three } = await fleet(3)
      const movesByStore = new Map([one, two, three].map((store) => [store, [] as ApprovalEvent[]]))
      for (const [store, moves] of movesByStore) store.approvals.onMove((move) => moves.push(move))
      const request = asked()
      await one.approvals.add(request, 10)
      const kinds = () => [...movesByStore.values()].map((moves) => moves.map(({ what }) => what))
      await expect.poll(kinds).toEqual([['asked'], ['asked'], ['asked']])
      await two.approvals.decide(request.id, { deny: 'no' }, 'ada')
      await expect.poll(kinds).toEqual(Array(3).fill(['asked', 'over']))
      await one.approvals.withdraw(request.id)
      // Events arrive in order, so a repeated event would have arrived before this one.
      await three.approvals.add(asked(), 10)
      await expect.poll(kinds).toEqual(Array(3).fill(['asked', 'over', 'asked']))
      const isElsewhere = [...movesByStore.values()].map(([move]) => move?.what === 'asked' && move.elsewhere === true)
      expect(isElsewhere).toEqual([false, true, true])
      expect(movesByStore.get(three)?.[1]).toMatchObject({
        what: 'over',
        id: request.id,
        is: { state: 'denied', why: 'no' },
        by: 'ada',
      })
    })

    it('is limited for its caller over all gateways, even if many come at once', async () => {
      const { one, two, three } = await fleet(3)
      const at = (n: number) => [one, two, three][n % 3]?.approvals ?? one.approvals
      const added = await Promise.all(Array.from({ length: 60 }, (_, n) => at(n).add(asked(), 7)))
      expect(added.filter((one) => one === 'added')).toHaveLength(7)
      expect(await two.approvals.pending()).toHaveLength(7)
    })

    it('is shared by identical calls that come to several gateways at once', async () => {
      const { one, two } = await fleet(2)
      const at = (n: number) => [one, two][n % 2]?.approvals ?? one.approvals
      const added = await Promise.all(
        Array.from({ length: 20 }, (_, n) => at(n).add(asked({ held: false, callDigest: 'same' }), 100)),
      )
      expect(added.filter((one) => one === 'added')).toHaveLength(1)
      expect(added.filter((one) => one === 'known')).toHaveLength(19)
    })

    it('keeps texts that PostgreSQL cannot store, and has no arguments in readable form', async () => {
      const { url, one, two } = await fleet(2)
      const request = asked({ caller: 'e\0ve\uf8f0', tool: { ...asked().tool, name: 's\0end' }, arguments: { text: 'a secret' } })
      expect(await one.approvals.add(request, 1)).toBe('added')
      expect(await one.approvals.add(asked({ caller: 'e\0ve\uf8f0' }), 1)).toBe('full')
      const { groups, page } = await two.approvals.queue({ limit: 10, caller: 'e\0ve\uf8f0' })
      expect(groups).toEqual([{ server: 'mail', tool: 's\0end', caller: 'e\0ve\uf8f0', count: 1, danger: 3 }])
      expect(page[0]?.asked).toMatchObject({ caller: 'e\0ve\uf8f0', arguments: { text: 'a secret' } })
      expect(await two.approvals.decide(request.id, { deny: 'no\0' }, 'a\0da')).toBe(true)
      expect(await one.approvals.find(request.id)).toMatchObject({ by: 'a\0da', is: { state: 'denied' } })
      const rows = await inDatabase<{ all: string; sealed: Uint8Array | null }>(
        url,
        'SELECT approvals::text AS all, sealed FROM toolwire.approvals',
      )
      expect(rows[0]?.all).not.toContain('a secret')
      expect(rows[0]?.sealed).toBeNull()
    })
  })

  describe('a call that is held at a gateway which wrongly counts as dead', () => {
    it('is left to an identical retry, as its gateway tells the caller', async () => {
      const { url, one, two } = await fleet(2)
      const request = asked({ held: true })
      await one.approvals.add(request, 10)
      await inDatabase(url, `UPDATE toolwire.approvals SET holder = 'dead'`)
      await expect.poll(async () => (await two.approvals.matching(request.callDigest))?.asked.id).toBe(request.id)
      expect(await one.approvals.leave(request.id)).toBe(true)
      expect((await two.approvals.matching(request.callDigest))?.is).toEqual({ state: 'pending' })
    })
  })

  describe('a call that is held at a gateway which dies', () => {
    it('is no longer held, so that an identical one finds the decision at another gateway', async () => {
      const { url, one, two } = await fleet(2)
      const callDigest = 'the same call'
      const requests = [asked({ held: true, callDigest }), asked({ held: true, callDigest }), asked({ held: true })] as const
      for (const each of requests) await one.approvals.add(each, 10)
      const mine = asked({ held: true, callDigest: 'another' })
      await two.approvals.add(mine, 10)
      expect(await two.approvals.matching(callDigest)).toBeUndefined()
      // Moves the requests to a gateway whose last heartbeat is six seconds old.
      await inDatabase(
        url,
        `INSERT INTO toolwire.replicas (id, name, version, seen) VALUES ('dying', 'dying', '1', clock_timestamp() - interval '6 seconds')`,
      )
      await inDatabase(url, `UPDATE toolwire.approvals SET holder = 'dying' WHERE holder = $1`, [one.fleet?.id])
      expect(await two.fleet?.replicas()).toHaveLength(3)
      expect(await two.approvals.matching(callDigest)).toBeUndefined()
      await expect.poll(async () => (await two.approvals.matching(callDigest))?.asked).toMatchObject({ id: requests[1].id })
      expect((await two.fleet?.replicas())?.map(({ id }) => id)).toEqual([one.fleet?.id, two.fleet?.id])
      expect(await two.approvals.find(requests[0].id)).toMatchObject({ is: { state: 'gone' } })
      expect(await two.approvals.matching(mine.callDigest)).toBeUndefined()
      expect(await two.approvals.decide(requests[1].id, 'allow')).toBe(true)
      expect(await two.approvals.release(requests[1].id, requests[1].digest)).toBe(true)
    })
  })
})
