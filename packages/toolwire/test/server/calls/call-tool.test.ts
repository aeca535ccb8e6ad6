import { server, tool } from 'toolwire'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { every, everyWire } from '../../revisions.js'
import '../../reported-faults.js'
import { judged } from '../../official-schemas.js'

let calls = 0
const now = tool({ run: () => 'noon' })
const add = tool({
  input: z.object({ a: z.number(), b: z.number() }),
  run: ({ a, b }) => {
    calls++
    return String(a + b)
  },
})
const shop = (options: object = {}) => server({ name: 'shop', version: '1', tools: { now, add }, ...options })

describe.each(every)('a call at %s', (revision) => {
  it('CALL-002 treats absent arguments as an empty object', async () => {
    const t = await judged(shop(), { revision })
    const result = await t.request('tools/call', { name: 'now' })
    expect(result.content).toEqual([{ type: 'text', text: 'noon' }])
    const refused = await t.request('tools/call', { name: 'add' }).then(JSON.stringify, (error) => error.message)
    expect(refused).toMatch(/\/a\b/)
    expect(refused).toMatch(/\/b\b/)
  })

  it.each([[[]], ['a=1'], [null], [7]])('CALL-003 refuses arguments that are %j', async (args) => {
    const t = await judged(shop(), { revision, lenient: true })
    const call = t.request('tools/call', { name: 'now', arguments: args })
    await expect(call).rejects.toMatchObject({ code: -32602, message: expect.stringContaining('arguments') })
  })

  it('CALL-006 answers a fast call before an earlier slow one', async () => {
    let finish!: (text: string) => void
    const slow = tool({ run: () => new Promise<string>((resolve) => (finish = resolve)) })
    const t = await judged(server({ name: 'shop', version: '1', tools: { slow, now } }), { revision })
    const order: string[] = []
    const first = t.call('slow').then(() => order.push('slow'))
    await t.call('now').then(() => order.push('now'))
    finish('at last')
    await first
    expect(order).toEqual(['now', 'slow'])
  })
})

describe.each(everyWire)('a call over $name', (wire) => {
  it('CALL-004 never reaches the handler with invalid arguments', async () => {
    calls = 0
    const t = await judged(shop(wire.server), wire.client)
    for (const args of [{}, { a: 1 }, { a: '1', b: 2 }, { a: 1, b: 2, c: 3 }, { a: null, b: 2 }])
      await t.call('add', args).catch(() => undefined)
    expect(calls).toBe(0)
    await t.call('add', { a: 1, b: 2 })
    expect(calls).toBe(1)
  })

  it('CALL-005 PKT-005 of an unknown tool is a protocol error', async () => {
    const t = await judged(shop(wire.server), wire.client)
    for (const name of ['nope', '', 'ADD', '__proto__', 'constructor']) {
      await expect(t.call(name)).rejects.toMatchObject({ code: -32602, message: `Unknown tool: ${name}` })
    }
  })

  it.each([
    [{}],
    [{ name: 5 }],
    [{ name: null, arguments: {} }],
    [{ name: ['add'] }],
  ])('TERR-004 with params %j is a protocol error, and not a tool error', async (params) => {
    const t = await judged(shop(wire.server), { ...wire.client, lenient: true })
    await expect(t.request('tools/call', params)).rejects.toMatchObject({
      code: -32602,
      message: expect.stringContaining('params.name'),
    })
  })
})
