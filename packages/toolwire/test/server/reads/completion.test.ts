import { EventEmitter, once } from 'node:events'
import { type Caller, prompt, server, template } from 'toolwire'
import type { types } from 'toolwire/relay'
import { describe, expect, it } from 'vitest'
import type { JsonObject } from '../../../src/json.js'
import { every } from '../../revisions.js'
import '../../reported-faults.js'
import { judged } from '../../official-schemas.js'
import { speaking } from '../pipe.js'

const colours = ['red', 'rose', 'blue']
const starting = (prefix: string) => colours.filter((one) => one.startsWith(prefix))
const paint = prompt({ args: { colour: { complete: starting }, wall: {} }, run: () => 'Paint' })
const rows = template({
  uriTemplate: 'db://{table}/{row}',
  complete: {
    table: (_, __, caller) => [`${caller.id}-orders`],
    row: (prefix, { table }) => Array.from({ length: 101 }, (_, at) => `${table}-${prefix}${at}`),
  },
  read: () => 'row',
})
const secret = template({
  uriTemplate: 'vault://{name}',
  scopes: ['vault'],
  complete: { name: () => ['payroll'] },
  read: () => 'x',
})
const hidden = prompt({ scopes: ['vault'], args: { name: { complete: () => ['payroll'] } }, run: () => 'x' })
const made = () => server({ name: 'a', version: '1', prompts: { paint, hidden }, resources: { rows, secret } })

const ofPrompt = (name: string, argument: string, value: string): JsonObject => ({
  ref: { type: 'ref/prompt', name },
  argument: { name: argument, value },
})
const ofTemplate = (uri: string, argument: string, value: string): JsonObject => ({
  ref: { type: 'ref/resource', uri },
  argument: { name: argument, value },
})
const table = 'db://{table}/{row}'

describe.each(every)('Completion at %s', (revision) => {
  const client = (caller: Partial<Caller> = {}) => judged(made(), { revision, caller })

  it('COMP-001 returns values for arguments of prompts and of templates', async () => {
    await using t = await client({ id: 'ada' })
    expect(await t.request('completion/complete', ofPrompt('paint', 'colour', 'r'))).toMatchObject({
      completion: { values: ['red', 'rose'], total: 2, hasMore: false },
    })
    expect(await t.request('completion/complete', ofTemplate(table, 'table', ''))).toMatchObject({
      completion: { values: ['ada-orders'] },
    })
    expect(await t.request('completion/complete', ofPrompt('paint', 'wall', ''))).toMatchObject({ completion: { values: [] } })
  })

  it('COMP-001 returns 100 of 101 values, and says that there are more', async () => {
    await using t = await client()
    const context = { arguments: { table: 'orders' } }
    const { completion } = await t.request('completion/complete', { ...ofTemplate(table, 'row', 'x'), context })
    expect(completion).toMatchObject({ total: 101, hasMore: true })
    expect((completion as { values: string[] }).values).toEqual(Array.from({ length: 100 }, (_, at) => `orders-x${at}`))
  })

  it('COMP-001 is declared if the revision defines it and something has completions', async () => {
    const declared = async (app: ReturnType<typeof server>) => {
      await using t = await judged(app, { revision })
      const { capabilities } =
        revision === '2026-07-28' ? await t.request('server/discover') : ((t.frames[1]?.message.result ?? {}) as JsonObject)
      return 'completions' in (capabilities as JsonObject)
    }
    expect(await declared(made())).toBe(revision >= '2025-03-26')
    expect(await declared(server({ name: 'a', version: '1', tools: {} }))).toBe(false)
  })

  it('COMP-002 returns no values of another caller', async () => {
    await using bob = await client({ id: 'bob', scopes: [] })
    expect(await bob.request('completion/complete', ofTemplate(table, 'table', ''))).toMatchObject({
      completion: { values: ['bob-orders'] },
    })
    for (const params of [ofTemplate('vault://{name}', 'name', ''), ofPrompt('hidden', 'name', '')]) {
      await expect(bob.request('completion/complete', params)).rejects.toMatchObject({
        code: -32602,
        message: expect.not.stringContaining('payroll'),
      })
      await using ada = await client({ id: 'ada', scopes: ['vault'] })
      expect(await ada.request('completion/complete', params)).toMatchObject({ completion: { values: ['payroll'] } })
    }
  })

  it('COMP-001 gives its completer the metadata of the request, and a signal that its cancellation aborts', async () => {
    const completing = new EventEmitter()
    const complete: types.Completer = (_, __, ___, { signal, meta }) => {
      completing.emit('begun', meta)
      return new Promise((resolve) => signal.addEventListener('abort', () => resolve(completing.emit('aborted') ? [] : [])))
    }
    const app = server({ name: 'a', version: '1', prompts: { slow: prompt({ args: { x: { complete } }, run: () => 'x' }) } })
    await using t = await judged(app, { revision })
    const [begun, aborted, stop] = [once(completing, 'begun'), once(completing, 'aborted'), new AbortController()]
    const params = { ...ofPrompt('slow', 'x', ''), _meta: { 'com.example/key': 'value' } }
    const asked = t.request('completion/complete', params, { signal: stop.signal })
    expect(await begun).toMatchObject([{ 'com.example/key': 'value' }])
    stop.abort()
    await expect(asked).rejects.toThrow()
    await aborted
  })

  it.each([
    ['no reference', { argument: { name: 'colour', value: '' } }],
    ['no argument', { ref: { type: 'ref/prompt', name: 'paint' } }],
    ['a reference of no kind', { ref: { type: 'ref/tool', name: 'paint' }, argument: { name: 'colour', value: '' } }],
    ['a value that is no string', { ref: { type: 'ref/prompt', name: 'paint' }, argument: { name: 'colour', value: 5 } }],
    ['an argument that is not there', ofPrompt('paint', 'size', '')],
    ['an argument from the prototype', ofPrompt('paint', 'toString', '')],
    ['a variable that is not there', ofTemplate(table, 'column', '')],
    ['a prompt that is not there', ofPrompt('nothing', 'colour', '')],
    ['a template that is not there', ofTemplate('db://{x}', 'x', '')],
    ['earlier arguments that are no strings', { ...ofTemplate(table, 'row', ''), context: { arguments: { table: { $ne: 1 } } } }],
    ['earlier arguments that are no object', { ...ofTemplate(table, 'row', ''), context: { arguments: ['x'] } }],
  ])('COMP-002 refuses %s', async (_, params) => {
    const { ask } = await speaking(made(), revision)
    expect((await ask('completion/complete', params as JsonObject)).error).toMatchObject({ code: -32602 })
  })

  it.each([
    [{ id: 'eve' }],
    [{ id: 'eve', anonymous: true, countsAsOne: true }],
  ])('COMP-002 refuses a caller (%j) that asks much faster than a person types, and no other', async (caller) => {
    const app = made()
    const eve = await speaking(app, revision, {}, caller)
    const ask = () => eve.ask('completion/complete', ofPrompt('paint', 'colour', ''))
    const replies = [await ask()]
    // On a busy machine, some allowance refills meanwhile.
    while (replies.at(-1)?.result && replies.length < 5_000) replies.push(await ask())
    expect(replies.slice(0, 600).every(({ result }) => result)).toBe(true)
    expect(replies.at(-1)?.error).toMatchObject({ code: 429, data: { retryAfterMs: expect.any(Number) } })
    const ada = await speaking(app, revision, {}, { id: 'ada' })
    expect(await ada.ask('completion/complete', ofPrompt('paint', 'colour', ''))).toHaveProperty('result')
  })
})
