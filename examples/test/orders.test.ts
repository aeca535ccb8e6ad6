import { createWriteStream } from 'node:fs'
import { mkdtemp, readFile, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { apiKeys, memoryApiKeys } from 'toolwire/auth'
import { type Client, connect } from 'toolwire/client'
import { type ApprovalRequest, auditTo, verifyAudit } from 'toolwire/guard'
import { listen } from 'toolwire/node'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { callers, ordersServer } from '../src/orders.js'

describe.sequential('the orders example, with three tools and three callers', () => {
  const asked: ApprovalRequest[] = []
  let answer: 'allow' | { deny: string } = 'allow'
  let file: string
  let stream: ReturnType<typeof createWriteStream>
  let orders: ReturnType<typeof ordersServer>['orders']
  let closing: () => Promise<void>
  let ana: Client
  let ben: Client
  let cleo: Client

  beforeAll(async () => {
    file = join(await mkdtemp(join(tmpdir(), 'orders-')), 'audit.ndjson')
    stream = createWriteStream(file, { flags: 'a' })
    const log = auditTo(stream)
    const made = ordersServer({
      log,
      ask: (request) => {
        asked.push(request)
        return answer
      },
    })
    orders = made.orders
    const { keys, records } = await callers()
    const { url, close } = await listen(made.app, { port: 0, authenticate: apiKeys({ store: memoryApiKeys(records) }) })
    const open = (token: string) => connect(url, { auth: { token } })
    ;[ana, ben, cleo] = await Promise.all([open(keys.ana), open(keys.ben), open(keys.cleo)])
    closing = async () => {
      await Promise.all([ana.close(), ben.close(), cleo.close()])
      await close()
    }
  })
  afterAll(async () => {
    await closing()
    stream.end()
  })

  const said = async (client: Client, name: string, args: { [name: string]: string }) => {
    const { isError, content } = await client.call(name, args)
    const [first] = content
    return `${isError ? 'error: ' : ''}${first?.type === 'text' ? first.text : first?.type}`
  }
  const names = async (client: Client) => (await client.listTools()).map(({ name }) => name)

  it('lists to each caller the tools that it may use', async () => {
    expect(await names(ana)).toEqual(['find_order'])
    expect(await names(ben)).toEqual(['find_order', 'note_order'])
    expect(await names(cleo)).toEqual(['find_order', 'note_order', 'delete_order'])
  })

  it('runs calls that the rules allow, without an approval', async () => {
    expect(await said(ana, 'find_order', { id: 'a-1' })).toContain('customer of a-1')
    expect(await said(ben, 'note_order', { id: 'a-1', note: 'call back' })).toBe('Noted on a-1')
    expect(orders.get('a-1')?.note).toBe('call back')
    expect(asked).toEqual([])
  })

  it('refuses a hidden tool with the message for an unknown tool', async () => {
    const hidden = await ana.request('tools/call', { name: 'delete_order', arguments: { id: 'a-1' } }).catch(String)
    const absent = await ana.request('tools/call', { name: 'delete_nothing', arguments: { id: 'a-1' } }).catch(String)
    expect(String(hidden)).toBe(String(absent).replace('delete_nothing', 'delete_order'))
  })

  it('refuses invalid arguments, and calls that a rule denies, without an approval', async () => {
    const [wrong] = (await cleo.request('tools/call', { name: 'find_order', arguments: { id: "a-1'; DROP TABLE orders" } }))
      .content as { text: string }[]
    expect(wrong?.text).toMatch(/^Invalid arguments for find_order: \/id: expected a string that matches/)
    expect(await said(cleo, 'delete_order', { id: 'c-1' })).toBe('error: This call to delete_order is not allowed')
    expect(orders.has('c-1')).toBe(true)
    expect(asked).toEqual([])
  })

  it('asks for approval of a deletion, shows exactly the arguments to send, and deletes when allowed', async () => {
    answer = 'allow'
    expect(await said(cleo, 'delete_order', { id: 'a-1' })).toBe('Deleted a-1')
    expect(orders.has('a-1')).toBe(false)
    expect(asked).toHaveLength(1)
    expect(asked[0]).toMatchObject({ caller: 'cleo', tool: { name: 'delete_order' }, arguments: { id: 'a-1' } })
    expect(asked[0]?.display).toBe('{\n  "id": "a-1"\n}')
  })

  it('does not run a denied deletion, and gives the model the reason', async () => {
    answer = { deny: 'that customer is still waiting' }
    expect(await said(cleo, 'delete_order', { id: 'a-2' })).toMatch(/^error: .*denied: that customer is still waiting/)
    expect(orders.has('a-2')).toBe(true)
  })

  it('refuses a caller that writes too often, and says when to retry', async () => {
    const notes = await Promise.all([1, 2, 3, 4, 5, 6].map((n) => said(ben, 'note_order', { id: 'a-2', note: `${n}` })))
    const refused = notes.filter((note) => note.startsWith('error: '))
    expect(refused.length).toBeGreaterThanOrEqual(1)
    expect(refused[0]).toMatch(/note_order has been called too often .* try again in \d+ s/)
    // Each caller has its own limit.
    expect(await said(cleo, 'note_order', { id: 'a-2', note: 'mine' })).toBe('Noted on a-2')
  })

  it('records every call in the audit log, without its arguments, and detects a changed log', async () => {
    const lines = (await readFile(file, 'utf8')).split('\n')
    const verdict = await verifyAudit(lines.join('\n'))
    expect(verdict).toMatchObject({ ok: true, entries: lines.length - 1 })
    const records = lines.slice(0, -1).map((line) => JSON.parse(line))
    const outcomes = records.filter(({ kind }) => kind === 'outcome')
    expect(outcomes.map(({ caller, tool, outcome }) => `${caller} ${tool} ${outcome}`)).toEqual(
      expect.arrayContaining([
        'ana find_order ok',
        'cleo delete_order ok',
        'cleo delete_order refused',
        'ben note_order refused',
      ]),
    )
    expect(lines.join('')).not.toContain('call back')
    await writeFile(`${file}.changed`, lines.join('\n').replace('"outcome":"refused"', '"outcome":"ok"'))
    expect(await verifyAudit(await readFile(`${file}.changed`, 'utf8'))).toMatchObject({
      ok: false,
      why: expect.stringContaining('changed'),
    })
  })
})
