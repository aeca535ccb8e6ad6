// A webhook receives pending calls and may decide them.
import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { approvalWebhook } from '../../src/approvals/webhook.js'
import { asked } from '../support/approval-requests.js'
import { requestTimeoutsOf } from '../support/request-timeouts.js'
import { ask, child, client, pending, program, started, upstreamConfig, words } from '../support/running-gateway.js'
import { newStore } from '../support/stores.js'

const notes = () => upstreamConfig('notes', child(program('notes-server.mjs')), { trusted: true })
const onProgress = () => undefined

/** A server that holds its requests until the test answers them. */
async function hook() {
  const requests: { readonly id: string; readonly response: ServerResponse; isOpen: boolean }[] = []
  const server = createServer(async (request, response) => {
    const pieces: Buffer[] = []
    for await (const piece of request) pieces.push(piece)
    const { approval } = JSON.parse(Buffer.concat(pieces).toString()) as { approval: { id: string } }
    const one = { id: approval.id, response, isOpen: true }
    response.on('close', () => {
      one.isOpen = false
    })
    requests.push(one)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => {
    server.close()
    server.closeAllConnections()
  })
  const { port } = server.address() as AddressInfo // it listens on a port
  return { requests, webhook: { url: `http://127.0.0.1:${port}/`, secret: 'a secret of sixteen' } }
}

describe('the webhook', () => {
  it('stays in use while other parts of the config change, and a new one receives all pending calls', async () => {
    const [one, two] = [await hook(), await hook()]
    const gateway = await started({ upstreams: [notes()], webhook: one.webhook })
    const call = (await client(gateway.url)).call('notes__write', { text: 'hi' }, { onProgress })
    const { id } = await pending(gateway)
    await expect.poll(() => one.requests.map(({ id }) => id)).toEqual([id])
    await gateway.change({ ...gateway.config, logLevel: 'debug' })
    expect(one.requests).toMatchObject([{ isOpen: true }])
    await gateway.change({ ...gateway.config, webhook: two.webhook })
    await expect.poll(() => two.requests.map(({ id }) => id)).toEqual([id])
    await expect.poll(() => one.requests).toMatchObject([{ isOpen: false }])
    two.requests[0]!.response.end(JSON.stringify({ decision: 'allow', by: 'bob' }))
    expect(words(await call)).toBe('written: hi')
    const { calls } = (await ask(gateway, '/audit?tool=toolwire/approval')).body as { calls: { sequence: number }[] }
    const { record } = (await ask(gateway, `/audit/${calls[0]!.sequence}`)).body
    expect(record).toMatchObject({ caller: 'webhook', arguments: { id, decision: 'allow', behind: 'bob' } })
  })

  it('receives all earlier pending calls at a start, in pages', async () => {
    const { requests, webhook } = await hook()
    const store = await newStore()
    const pending = vi.spyOn(store.approvals, 'pending')
    const all = Array.from({ length: 4 }, (_, n) => asked({ held: false, arguments: { n, text: 'x'.repeat(1_500_000) } }))
    for (const one of all) await store.approvals.add(one, 10)
    await started({ webhook }, { store })
    await expect.poll(() => requests.map(({ id }) => id).sort()).toEqual(all.map(({ id }) => id).sort())
    expect(pending).not.toHaveBeenCalled()
  })

  it('receives calls that move to pages that were read already', async () => {
    const { requests, webhook } = await hook()
    const store = await newStore()
    const callerOf = (n: number) => (n < 12 ? 'ann' : `other ${n % 10}`)
    const all = Array.from({ length: 112 }, (_, n) => asked({ held: false, caller: callerOf(n), arguments: { n } }))
    for (const one of all) await store.approvals.add(one, 200)
    const queue = store.approvals.queue.bind(store.approvals)
    const pages = vi.spyOn(store.approvals, 'queue').mockImplementation(async (query) => {
      if (!query.after) return queue(query)
      // The webhook has allowed two calls of the first page before the second is read.
      await expect.poll(() => requests.length).toBeGreaterThan(1)
      for (const { response } of requests.slice(0, 2)) response.end(JSON.stringify({ decision: 'allow' }))
      await expect.poll(async () => (await queue({ limit: 1 })).total).toBeLessThan(all.length - 1)
      return queue(query)
    })
    await started({ webhook }, { store })
    await expect.poll(() => requests.map(({ id }) => id).sort()).toEqual(all.map(({ id }) => id).sort())
    expect(pages.mock.calls.length).toBeGreaterThan(2)
  })

  it('receives a limited number of long calls at once, short ones always, and none that was settled before its turn', async () => {
    const { requests, webhook } = await hook()
    const ofEve = Array.from({ length: 4 }, () => asked({ caller: 'eve', display: 'x'.repeat(20_000) }))
    const [ofAda, short] = [asked({ caller: 'ada', display: 'x'.repeat(20_000) }), asked({ caller: 'eve' })]
    const calls = new Map([...ofEve, ofAda, short].map((one) => [one.id, one]))
    const ids = ofEve.map(({ id }) => id)
    const read = vi.fn(async (id: string) => calls.get(id))
    const sender = approvalWebhook({ ...webhook, read, decide: async () => undefined, onTrouble: () => undefined }, 100_000)
    onTestFinished(() => sender.close())
    for (const id of [...ids, ofAda.id, short.id]) sender.asked(id)
    const received = () => requests.map(({ id }) => id).sort()
    // Half of the room is for other callers.
    await expect.poll(received).toEqual([ids[0], ids[1], ofAda.id, short.id].sort())
    sender.settled(ids[2]!)
    requests.find(({ id }) => id === ids[0])?.response.end('{}')
    await expect.poll(received).toEqual([ids[0], ids[1], ids[3], ofAda.id, short.id].sort())
    expect(read.mock.calls.flat().filter((id) => id === ids[2])).toHaveLength(1)
  })

  it('may answer whenever a person has decided, later than requests of Node usually last', async () => {
    const { requests, webhook } = await hook()
    const timeouts = requestTimeoutsOf(webhook.url)
    const one = asked({ caller: 'ada' })
    const decided: unknown[] = []
    const decide = async (id: string, answer: unknown) => void decided.push([id, answer])
    const sender = approvalWebhook({ ...webhook, read: async () => one, decide, onTrouble: () => undefined })
    onTestFinished(() => sender.close())
    sender.asked(one.id)
    await expect.poll(() => requests).toHaveLength(1)
    expect(timeouts).toEqual([{ headersTimeout: 0, bodyTimeout: 0 }])
    requests[0]!.response.end(JSON.stringify({ decision: 'allow' }))
    await expect.poll(() => decided).toEqual([[one.id, 'allow']])
  })

  it('has its answer aborted if it is too long', async () => {
    const { requests, webhook } = await hook()
    const gateway = await started({ upstreams: [notes()], webhook })
    const call = (await client(gateway.url)).call('notes__write', { text: 'hi' }, { onProgress })
    const { id } = await pending(gateway)
    await expect.poll(() => requests).toHaveLength(1)
    const { response } = requests[0]!
    response.write(`{"decision":"deny"${' '.repeat(100_000)}`)
    // The webhook keeps sending until it is disconnected.
    await expect.poll(() => response.write(' '.repeat(1_000)) || requests[0]!.isOpen).toBe(false)
    expect((await ask(gateway, `/approvals/${id}`, { body: { decision: 'allow' } })).status).toBe(200)
    expect(words(await call)).toBe('written: hi')
  })
})
