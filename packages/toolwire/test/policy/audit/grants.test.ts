// The record of a call that a standing approval allows names that approval, also if the call comes back with an answer.
import { jsonSchema, server, tool } from 'toolwire'
import { type AuditRecord, type GrantStore, memoryAudit, memoryGrants, verifyAudit } from 'toolwire/guard'
import { defineRules, rules } from 'toolwire/rules'
import { describe, expect, it } from 'vitest'
import { judged } from '../../official-schemas.js'

const yes = jsonSchema({ type: 'object', properties: { ok: { type: 'boolean' } } })
const always = { allow: true, always: { forMs: 3_600_000 } } as const

function shop(remember: GrantStore, guard: object = {}) {
  const log = memoryAudit()
  const tools = {
    pay: tool({ description: 'Pays', run: () => 'paid' }),
    order: tool({
      description: 'Asks, then orders',
      run: async (_, ctx) => `${JSON.stringify(await ctx.ask('sure', 'Sure?', yes))}`,
    }),
  }
  const approve = { ask: () => always, remember }
  const app = server({ name: 'shop', version: '1', tools, guard: { audit: { log }, approve, ...guard } })
  const outcomes = () =>
    log.entries().flatMap(({ text }) => {
      const record = JSON.parse(text) as AuditRecord
      return record.kind === 'outcome' ? [record] : []
    })
  return { app, log, outcomes }
}

const askAlways = { rules: rules(defineRules({ default: 'ask', rules: [] })) }

describe.each([
  ['without rules', {}],
  ['with rules', askAlways],
])('%s', (_, guard) => {
  it.each(['2025-11-25', '2026-07-28'] as const)('names the grant of each call that it allows (%s)', async (revision) => {
    const grants = memoryGrants()
    const { app, log, outcomes } = shop(grants, guard)
    await using t = await judged(app, { revision, answers: { sure: () => ({ ok: true }) } })
    for (const name of ['pay', 'pay', 'order', 'order']) await t.request('tools/call', { name })
    const ids = new Map((await grants.list()).map((grant) => [grant.tool, `grant:${grant.id}`]))
    const [pay, order] = [ids.get('pay'), ids.get('order')]
    const rounds = (ground: string | undefined) => (revision === '2026-07-28' ? [ground, ground] : [ground])
    expect([typeof pay, typeof order]).toEqual(['string', 'string'])
    expect(outcomes().map(({ ground }) => ground)).toEqual([undefined, pay, ...rounds(undefined), ...rounds(order)])
    expect(await verifyAudit(log.lines())).toMatchObject({ ok: true })
  })
})

it('shows hidden characters in the id of a grant, and shortens a long one', async () => {
  const grants = memoryGrants()
  const { app, outcomes } = shop({
    ...grants,
    list: async () => (await grants.list()).map((grant) => ({ ...grant, id: `a\u200bb${'x'.repeat(1_000)}` })),
  })
  await using t = await judged(app, { revision: '2025-11-25' })
  for (const name of ['pay', 'pay']) await t.request('tools/call', { name })
  expect(outcomes()[1]?.ground).toBe(`grant:a\\u{200b}b${'x'.repeat(61)}`)
})
