// The queue of pending approvals in the management API, and simultaneous decisions.
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import type { JsonObject } from 'toolwire'
import { describe, expect, it, onTestFinished } from 'vitest'
import { expectWithin, howMany } from '../../../toolwire/test/soak.js'
import type { ApprovalsPage, ApprovalView } from '../../src/approvals/approval-queue.js'
import { showApproval } from '../../src/cli/approvals/pending-approval.js'
import type { Terminal } from '../../src/cli/terminal/terminal.js'
import { fill, kinds, request } from '../support/api-requests.js'
import { listening } from '../support/event-stream.js'
import { ask, client, folder, pending, started, storeIn, until, words } from '../support/running-gateway.js'
import { tamper } from '../support/tampered-log.js'
import { notes } from '../support/upstream-configs.js'

const onProgress = () => undefined
type Gateway = { readonly port: number }
const page = async (gateway: Gateway, query = '') => (await ask(gateway, `/approvals${query}`)).body as unknown as ApprovalsPage

async function filled(requests: readonly Parameters<typeof request>[0][]) {
  const dataDir = join(folder(), 'data')
  const store = await storeIn(dataDir)
  await fill(store, requests.map(request))
  return started({ dataDir, upstreams: [notes()] }, { store })
}

describe('pending calls', () => {
  it('are listed with the most dangerous first, then the oldest', async () => {
    const order = ['read', 'write', 'destructive', 'repeatable', 'destructive'] as const
    const gateway = await filled(order.map((kind, index) => ({ hints: kinds[kind], caller: `${index} ${kind}` })))
    const { approvals, total } = await page(gateway)
    expect(total).toBe(5)
    expect(approvals.map(({ caller }) => caller)).toEqual(['2 destructive', '4 destructive', '1 write', '3 repeatable', '0 read'])
    expect(approvals.map(({ danger }) => danger)).toEqual(['destructive', 'destructive', 'write', 'write', 'read'])
  })

  it('are paged: each appears once, even if some are decided and others arrive meanwhile', async () => {
    const many = Array.from({ length: 25 }, (_, index) => ({ hints: index % 2 ? kinds.write : kinds.destructive }))
    const gateway = await filled(many)
    const views: ApprovalView[] = []
    let query = '?limit=10'
    for (;;) {
      const { approvals, next, total } = await page(gateway, query)
      views.push(...approvals)
      expect(total).toBe(25 - (views.length > 10 ? 1 : 0))
      if (next === undefined) break
      if (views.length === 10) await ask(gateway, `/approvals/${views[0]?.id}`, { body: { decision: 'deny' } })
      query = `?limit=10&after=${next}`
    }
    expect(new Set(views.map(({ id }) => id)).size).toBe(25)
    expect((await ask(gateway, '/approvals?after=nonsense')).status).toBe(400)
    expect((await ask(gateway, '/approvals?limit=x')).status).toBe(400)
  })

  it('are counted by tool and caller, and can be filtered by both', async () => {
    const gateway = await filled([
      {},
      {},
      { caller: 'mallory' },
      { tool: { name: 'mail__read', definitionHash: 'sha256:1' }, hints: kinds.read },
    ])
    const { groups } = await page(gateway, '?limit=1')
    expect(groups).toEqual([
      { server: 'mail', tool: 'mail__send', caller: 'eve', count: 2, danger: 'destructive' },
      { server: 'mail', tool: 'mail__send', caller: 'mallory', count: 1, danger: 'destructive' },
      { server: 'mail', tool: 'mail__read', caller: 'eve', count: 1, danger: 'read' },
    ])
    expect((await page(gateway, '?tool=mail__read')).approvals).toHaveLength(1)
    expect((await page(gateway, '?caller=mallory&tool=mail__send')).approvals).toMatchObject([{ caller: 'mallory' }])
    expect((await page(gateway, '?server=other')).approvals).toEqual([])
  })

  it('show all details for a decision, and the last allowed call', async () => {
    const gateway = await started({ upstreams: [notes()] })
    const one = await client(gateway.url)
    const first = one.call('notes__write', { text: 'before' }, { onProgress })
    const before = Date.now()
    const { id } = await pending(gateway)
    const [unknown] = (await page(gateway)).approvals
    expect(unknown?.last).toBeUndefined()
    await ask(gateway, `/approvals/${id}`, { body: { decision: 'allow' } })
    expect(words(await first)).toBe('written: before')
    const second = one.call('notes__write', { text: 'after' }, { onProgress })
    await pending(gateway)
    const [view] = (await page(gateway)).approvals
    expect(view).toMatchObject({
      server: 'notes',
      caller: 'local',
      tool: { name: 'notes__write', description: 'Writes a note', hash: expect.stringMatching(/^sha256:/) },
      arguments: { text: 'after' },
      danger: 'destructive',
      trusted: true,
      last: { arguments: { text: 'before' }, by: 'operator' },
    })
    expect(view?.changed).toBeUndefined()
    expect(view?.askedAt).toBeGreaterThanOrEqual(before)
    expect(view?.askedAt).toBeLessThanOrEqual(Date.now())
    expect((await ask(gateway, `/approvals/${view?.id}`)).body).toEqual(view)
    await ask(gateway, `/approvals/${view?.id}`, { body: { decision: 'deny' } })
    await second
    const { past } = (await ask(gateway, '/approvals?past=5')).body as unknown as { past: object[] }
    expect(past).toMatchObject([
      { arguments: { text: 'after' }, by: 'operator', decision: 'deny' },
      { arguments: { text: 'before' }, by: 'operator', decision: 'allow' },
    ])
  })

  it('repeat a large call that was allowed last only while it fits in the page', async () => {
    const dataDir = join(folder(), 'data')
    const store = await storeIn(dataDir)
    const before = request({ arguments: { text: 'x'.repeat(1_500_000) } })
    await fill(store, [before])
    await store.approvals.decide(before.id, 'allow', 'ada')
    await fill(
      store,
      Array.from({ length: 6 }, () => request({})),
    )
    const gateway = await started({ dataDir, upstreams: [notes()] }, { store })
    const { approvals } = await page(gateway)
    expect(approvals.map(({ last }) => last?.cut)).toEqual([undefined, undefined, true, true, true, true])
    for (const { last } of approvals)
      expect(last).toMatchObject({ by: 'ada', arguments: { text: expect.stringMatching(/^x{4000}/) } })
    expect(JSON.stringify(approvals).length).toBeLessThan(4 * 1_024 * 1_024)
    const { body } = await ask(gateway, `/approvals/${approvals[5]?.id}`)
    expect(body).toMatchObject({ last: { arguments: before.arguments } })
  })

  const crowd = howMany(1_000, 10_000)

  it(`can be ${crowd}, and the first page still loads quickly`, async () => {
    const all = Object.values(kinds)
    const gateway = await filled(
      Array.from({ length: crowd }, (_, index) => ({ hints: all[index % 4], caller: `c${index % 40}` })),
    )
    const times: number[] = []
    for (let n = 0; n < 7; n++) {
      const began = performance.now()
      const { total, approvals, groups } = await page(gateway, '?limit=50')
      times.push(performance.now() - began)
      expect([total, approvals.length, groups.length]).toEqual([crowd, 50, 40])
    }
    expectWithin(Math.min(...times), 300)
    const began = performance.now()
    const { body } = await ask(gateway, '/approvals/deny-all', { body: { caller: 'c7', reason: 'a flood' } })
    expect(body).toEqual({ denied: crowd / 40 })
    expectWithin(performance.now() - began, 3_000)
    expect((await page(gateway)).total).toBe(crowd - crowd / 40)
  })
})

describe('a flood of pending calls', () => {
  it('is denied at once, with a reason for the callers and a record', async () => {
    const gateway = await started({ upstreams: [notes()] })
    const stream = await listening(gateway, '/events')
    const one = await client(gateway.url)
    const calls = Array.from({ length: 5 }, (_, n) => one.call('notes__write', { text: `${n}` }, { onProgress }))
    await until(async () => (await page(gateway)).total === 5)
    expect((await ask(gateway, '/approvals/deny-all', { body: { tool: 'notes__read' } })).body).toEqual({ denied: 0 })
    expect((await ask(gateway, '/approvals/deny-all', { body: { decision: 'allow' } })).status).toBe(400)
    const { body } = await ask(gateway, '/approvals/deny-all', { body: { tool: 'notes__write', reason: 'too many' } })
    expect(body).toEqual({ denied: 5 })
    for (const result of await Promise.all(calls)) expect(words(result)).toContain('too many')
    expect(words(await one.call('notes__read'))).toBe('nothing')
    await until(
      () =>
        stream.events.filter(({ data }) => data.what === 'over' && data.decision === 'deny' && data.by === 'operator').length ===
        5,
    )
    const acts = (await ask(gateway, '/audit?tool=toolwire/deny-all')).body.calls
    expect(acts).toMatchObject([
      { caller: 'operator', outcome: 'ok' },
      { caller: 'operator', outcome: 'ok' },
    ])
  })
})

describe('a decision', () => {
  it('applies to the displayed definition, or has no effect', async () => {
    const gateway = await started({ upstreams: [notes()] })
    const one = await client(gateway.url)
    const call = one.call('notes__write', { text: 'hi' }, { onProgress })
    const { id } = await pending(gateway)
    const { digest } = (await ask(gateway, `/approvals/${id}`)).body
    const other = await ask(gateway, `/approvals/${id}`, { body: { decision: 'allow', hash: `${digest}0` } })
    expect(other).toMatchObject({ status: 409, body: { error: expect.stringContaining('Review it again') } })
    expect((await page(gateway)).total).toBe(1)
    expect((await ask(gateway, `/approvals/${id}`, { body: { decision: 'allow', hash: digest } })).status).toBe(200)
    expect(words(await call)).toBe('written: hi')
  })

  it('is made once of many attempts, and the others learn its author', async () => {
    const gateway = await started({ upstreams: [notes()] })
    const one = await client(gateway.url)
    for (let round = 0; round < 5; round++) {
      const call = one.call('notes__write', { text: `${round}` }, { onProgress })
      const { id } = await pending(gateway)
      const { digest: hash } = (await ask(gateway, `/approvals/${id}`)).body
      const tries = Array.from({ length: 8 }, (_, n) => (n % 2 ? 'allow' : 'deny'))
      const answers = await Promise.all(tries.map((decision) => ask(gateway, `/approvals/${id}`, { body: { decision, hash } })))
      const [first, ...more] = answers.filter(({ status }) => status === 200)
      expect(more).toEqual([])
      expect(answers.filter(({ status }) => status === 409)).toHaveLength(7)
      for (const { body } of answers.filter(({ status }) => status === 409))
        expect(body).toMatchObject({ decision: first?.body.decision, by: 'operator' })
      expect((await call).isError === true).toBe(first?.body.decision === 'deny')
    }
  })

  it('for a tool that has changed meanwhile can deny, but not allow', async () => {
    const gateway = await started({ upstreams: [notes()] }, { patienceMs: 10 })
    const one = await client(gateway.url)
    expect((await one.call('notes__write', { text: 'hi' })).isError).toBe(true)
    const { id } = await pending(gateway)
    await gateway.change({ ...gateway.config, upstreams: [notes({}, 'changed')] })
    await until(async () => (await page(gateway)).approvals[0]?.changed === true)
    expect((await page(gateway)).approvals).toMatchObject([{ id, changes: ['definition'] }])
    const refused = await ask(gateway, `/approvals/${id}`, { body: { decision: 'allow' } })
    expect(refused).toMatchObject({ status: 409, body: { changes: ['definition'] } })
    expect((await ask(gateway, `/approvals/${id}`, { body: { decision: 'deny' } })).status).toBe(200)
  })

  it('allows no call whose arguments were changed on disk and are unreadable, on any path', async () => {
    const dataDir = join(folder(), 'data')
    const store = await storeIn(dataDir)
    const [readable, changed] = [request({ caller: 'ada' }), request()]
    await fill(store, [readable, changed])
    await store.close()
    tamper(dataDir, `UPDATE approvals SET sealed = zeroblob(64) WHERE id = '${changed.id}'`)
    // The webhook is asked as well, and allows everything.
    const hook = createServer((_, res) => res.end(JSON.stringify({ decision: 'allow' }))).listen(0, '127.0.0.1')
    onTestFinished(() => void hook.close())
    await once(hook, 'listening')
    const { port } = hook.address() as AddressInfo // it listens on TCP
    const webhook = { url: `http://127.0.0.1:${port}/`, secret: 'of 16 characters or more' }
    const gateway = await started({ dataDir, upstreams: [notes()], webhook })
    const { id } = changed
    await until(() => gateway.log.some((line) => line.includes(`The webhook approved ${id}`) && line.includes('cannot be read')))
    await until(async () => (await page(gateway)).total === 1)
    expect((await page(gateway)).approvals).toMatchObject([{ id, changed: true, arguments: {} }])
    const [view] = (await ask(gateway, '/approvals')).body.approvals as JsonObject[]
    expect(view?.changes).toContain('arguments')
    const shown = showApproval(view ?? {}, { paint: { bold: String } } as unknown as Terminal)
    expect(shown).toContain('arguments: The arguments of this call cannot be read')
    expect(shown).not.toContain('exactly as they will be sent')
    const refused = await ask(gateway, `/approvals/${id}`, { body: { decision: 'allow' } })
    expect(refused).toMatchObject({ status: 409, body: { error: expect.stringContaining('arguments') } })
    expect(await gateway.control.decisions.decide(id, 'allow', { by: 'ada' })).toEqual({ done: false, state: 'unreadable' })
    expect((await ask(gateway, `/approvals/${id}`, { body: { decision: 'deny' } })).status).toBe(200)
  })
})
