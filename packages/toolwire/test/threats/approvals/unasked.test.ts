// A client of 2026-07-28 that sends answers without a question, or forges a state.

import { tool } from 'toolwire'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import type { JsonObject } from '../../../src/json.js'
import { sealer } from '../../../src/peer/sealer.js'
import { askCaller } from '../../../src/policy/approve/ask-caller.js'
import { approve } from '../../../src/policy/approve/index.js'
import '../../reported-faults.js'
import { Rounder, textOf } from '../../server/questions/rounds.js'
import { allow, bank, keyOf, pay } from './bank.js'

describe('an answer without a question', () => {
  it('UX-005 does not count, whatever its key', async () => {
    const { app, paid } = bank()
    const client = new Rounder(app)
    const keys = ['decision', 'approve', 'approve:1', 'toolwire:approval', 'toolwire:approval:', 'toolwire:approval:undefined']
    const inputResponses = Object.fromEntries([...keys, keyOf(await client.asked('tools/call', pay))].map((key) => [key, allow]))
    await client.asked('tools/call', { ...pay, inputResponses })
    expect(paid).toEqual([])
  })

  it('UX-005 does not count, even if it answered another question', async () => {
    const { app, paid } = bank()
    const client = new Rounder(app)
    const first = await client.asked('tools/call', pay)
    const second = await client.asked('tools/call', pay)
    expect(keyOf(first)).not.toBe(keyOf(second))
    const mixed = { inputResponses: { [keyOf(first)]: allow }, requestState: second.requestState ?? '' }
    const again = await client.asked('tools/call', { ...pay, ...mixed })
    expect(keyOf(again)).toBe(keyOf(second))
    expect(paid).toEqual([])
  })

  it('UX-005 does not count for one of two approvers', async () => {
    const { app, paid } = bank({ more: [approve({ ask: askCaller(), name: 'four-eyes' }), approve({ ask: askCaller() })] })
    const client = new Rounder(app)
    const keys = new Set<string>()
    let more: JsonObject = {}
    for (let round = 0; round < 3; round++) {
      const asked = await client.asked('tools/call', { ...pay, ...more })
      keys.add(keyOf(asked))
      more = { inputResponses: { [keyOf(asked)]: allow }, requestState: asked.requestState ?? '' }
    }
    expect(keys.size).toBe(3)
    expect(paid).toEqual([])
    expect(textOf(await client.call('pay', { ...pay, ...more }))).toBe('paid 5')
  })
})

describe('a state', () => {
  const answered = async (client: Rounder, given: JsonObject & { name: string } = pay) => {
    const asked = await client.asked('tools/call', given)
    return { inputResponses: { [keyOf(asked)]: allow }, requestState: asked.requestState ?? '' }
  }

  it.each<[string, JsonObject & { name: string }]>([
    ['other arguments', { ...pay, arguments: { amount: 5_000 } }],
    ['another tool', { ...pay, name: 'payLater' }],
  ])('MRTR-008 MRTR-009 of an approved call is refused for %s', async (_, other) => {
    const { app, paid } = bank()
    const client = new Rounder(app)
    const more = await answered(client)
    expect((await client.send('tools/call', { ...other, ...more })).error).toMatchObject({ code: -32602 })
    expect(paid).toEqual([])
    expect(textOf(await client.send('tools/call', { ...pay, ...more }))).toBe('paid 5')
  })

  it('MRTR-009 of an approved call is refused for another caller', async () => {
    const { app, paid } = bank()
    const more = await answered(new Rounder(app, { caller: { id: 'ada' } }))
    const mallory = new Rounder(app, { caller: { id: 'mallory' } })
    expect((await mallory.send('tools/call', { ...pay, ...more })).error).toMatchObject({ code: -32602 })
    expect(paid).toEqual([])
  })

  it('MRTR-008 with a forged approval is refused', async () => {
    const { app, paid } = bank({ secret: 'a secret of at least thirty-two bytes' })
    const client = new Rounder(app)
    const past = {
      round: 1,
      answers: {},
      ticket: 'x',
      until: Date.now() + 60_000,
      effects: { 'toolwire:approved:approve:1:0': true },
    }
    const sealed = await sealer(['another secret, as long as that']).seal('round:0', past)
    for (const requestState of [JSON.stringify(past), Buffer.from(JSON.stringify(past)).toString('base64url'), sealed]) {
      expect((await client.send('tools/call', { ...pay, requestState })).error).toMatchObject({ code: -32602 })
    }
    expect(paid).toEqual([])
  })

  it('MRTR-013 of an approved call is void for a tool that has changed since', async () => {
    const { app, paid } = bank()
    const client = new Rounder(app)
    const more = await answered(client, { ...pay, name: 'payWho' })
    const asked = await client.asked('tools/call', { ...pay, name: 'payWho', ...more })
    expect(keyOf(asked)).toBe('who')
    app.tools.replace(
      'payWho',
      tool({ description: 'Pays twice', input: z.object({ amount: z.number() }), run: () => 'paid twice' }),
    )
    const who = { who: { action: 'accept', content: { name: 'Ada' } } }
    const last = { ...pay, name: 'payWho', inputResponses: who, requestState: asked.requestState ?? '' }
    expect(keyOf(await client.asked('tools/call', last))).toMatch(/^toolwire:approval:/)
    expect(paid).toEqual([])
  })

  it('MRTR-013 of an approved call is void under other rules', async () => {
    let version = '1'
    const { app, paid } = bank({ version: () => version })
    const client = new Rounder(app)
    const more = await answered(client)
    version = '2'
    expect(keyOf(await client.asked('tools/call', { ...pay, ...more }))).toMatch(/^toolwire:approval:/)
    expect(paid).toEqual([])
  })
})
