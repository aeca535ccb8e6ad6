import { server, ToolError, tool } from 'toolwire'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { judged } from '../../official-schemas.js'
import { faults } from '../../reported-faults.js'
import { every, everyWire, pocketWire, until, wireOf } from '../../revisions.js'

const basket = tool({
  input: z.object({ id: z.string(), count: z.number().int() }),
  run: ({ id }) => {
    throw new ToolError(`The basket ${id} has expired; make a new one with basket_create`)
  },
})
const shop = (options: object = {}) => server({ name: 'shop', version: '1', tools: { basket }, ...options })
const text = ({ content: [block] }: { content: unknown[] }) => (block as { text: string }).text

describe.each(everyWire)('a failing tool over $name', (wire) => {
  it('TERR-001 returns a result with the reason', async () => {
    const t = await judged(shop(wire.server), wire.client)
    const result = await t.call('basket', { id: 'b1', count: 1 })
    expect(result).toMatchObject({
      isError: true,
      content: [{ type: 'text', text: 'The basket b1 has expired; make a new one with basket_create' }],
    })
  })

  it('TERR-001 without a message still returns a text', async () => {
    const failing = tool({ run: () => Promise.reject(new ToolError('')) })
    const t = await judged(server({ name: 'shop', version: '1', tools: { failing }, ...wire.server }), wire.client)
    expect(text(await t.call('failing'))).toBe('The tool failed')
  })
})

it('TERR-008 an expired handle is a tool error with advice', async () => {
  const t = await judged(shop(), { revision: '2026-07-28' })
  const result = await t.call('basket', { id: 'b1', count: 1 })
  expect(result).toMatchObject({ isError: true, resultType: 'complete' })
  expect(text(result)).toMatch(/expired; make a new one/)
})

describe.each(['2025-11-25', '2026-07-28'])('invalid arguments at %s', (revision) => {
  it.each([
    [{ count: 1 }, '/id'],
    [{ id: 'b1', count: 1.5 }, '/count'],
    [{ id: 'b1', count: '5' }, '/count'],
    [{ id: 'b1', count: 1, colour: 'red' }, "'colour'"],
    [{ id: 'b1', count: 1, cuont: 2 }, "did you mean 'count'"],
  ])('TERR-002 JSCH-014 %j are reported to the model by name', async (args, named) => {
    const t = await judged(shop(), { revision })
    const result = await t.call('basket', args)
    expect(result.isError).toBe(true)
    expect(text(result)).toContain('Invalid arguments for basket')
    expect(text(result)).toContain(named)
  })
})

describe.each([...until('2025-06-18').map(wireOf), pocketWire])('invalid arguments over $name', (wire) => {
  it('TERR-003 PKT-005 are a protocol error', async () => {
    const t = await judged(shop(wire.server), wire.client)
    await expect(t.call('basket', { count: 1 })).rejects.toMatchObject({ code: -32602, message: expect.stringContaining('/id') })
    await expect(t.call('basket', { id: 'b1', count: '5' })).rejects.toMatchObject({ code: -32602 })
  })
})

const leaky = {
  path: () => {
    throw Object.assign(new Error("ENOENT: no such file or directory, open '/srv/app/keys/id_rsa'"), { code: 'ENOENT' })
  },
  stack: () => {
    const error = new Error('boom')
    error.message = `sk-live-4242 ${error.stack}`
    throw error
  },
  text: () => {
    throw 'postgres://admin:hunter2@10.0.0.5/shop'
  },
  object: () => {
    throw { password: 'hunter2' }
  },
  late: async () => {
    await Promise.resolve()
    JSON.parse('{"token": sk-live-4242')
  },
  wrapped: () => {
    throw new ToolError('The store is closed', { cause: new Error('hunter2 at /srv/app') })
  },
}

describe.each(every)('the errors of careless tools at %s', (revision) => {
  it.each(Object.keys(leaky) as (keyof typeof leaky)[])('TERR-009 reveal no internals (%s)', async (kind) => {
    const careless = tool({ run: () => leaky[kind]() as never })
    const t = await judged(server({ name: 'shop', version: '1', tools: { careless } }), { revision })
    await t.call('careless')
    const serverMessages = JSON.stringify(t.frames.filter(({ from }) => from === 'server'))
    expect(serverMessages).not.toMatch(/hunter2|sk-live|\/srv\/|ENOENT|node:internal|\.ts\b|\bat .*:\d+/)
    expect(serverMessages).toContain('"isError":true')
  })

  it('TERR-009 have an id that leads the operator to the details', async () => {
    const careless = tool({ description: 'Careless', run: () => leaky.path() as never })
    const t = await judged(server({ name: 'shop', version: '1', tools: { careless } }), { revision })
    const said = text(await t.call('careless'))
    expect(faults).toEqual([
      { id: expect.any(String), where: 'tool careless', fault: expect.objectContaining({ code: 'ENOENT' }) },
    ])
    expect(said).toContain(faults[0]?.id)
  })
})
