// A server that asks the calling client for approval, in every revision.
import { ask, inputRequired, server, tool } from 'toolwire'
import type { Policy } from 'toolwire/guard'
import { harness } from 'toolwire/testing'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import type { JsonObject } from '../../../src/json.js'
import type { ApproveOptions } from '../../../src/policy/approve/approve-options.js'
import { askCaller } from '../../../src/policy/approve/ask-caller.js'
import { approve } from '../../../src/policy/approve/index.js'
import type { Answers } from '../../../src/testing/answer-question.js'
import { since, until } from '../../revisions.js'
import '../../reported-faults.js'
import { Rounder } from '../../server/questions/rounds.js'

const asks = since('2025-06-18')
const name = z.object({ name: z.string() })

/** A server that pays after the approval of the caller, and records the payments. */
function paying(options: Partial<ApproveOptions> = {}, more: readonly Policy[] = []) {
  const paid: number[] = []
  const pay = (how: string, amount: number) => {
    paid.push(amount)
    return `${how} ${amount}`
  }
  const input = z.object({ amount: z.number(), note: z.string().optional() })
  const described = { title: 'Pay a bill', description: 'Pays', input } as const
  const app = server({
    name: 'bank',
    version: '1',
    policies: [approve({ ask: askCaller(), ...options }), ...more],
    tools: {
      pay: tool({ ...described, run: ({ amount }) => pay('paid', amount) }),
      twice: tool({
        ...described,
        async run({ amount }, ctx) {
          const { name: first } = await ctx.ask('first', 'Who?', name)
          const { name: second } = await ctx.ask('second', 'And who else?', name)
          return pay(`paid ${first} and ${second}`, amount)
        },
      }),
      raw: tool({
        ...described,
        run: ({ amount }, ctx) =>
          ctx.resumed?.responses.who ? pay('paid', amount) : inputRequired({ who: ask('Who?', name) }, 1),
      }),
      look: tool({ description: 'Looks', hints: { readOnly: true }, run: () => 'seen' }),
    },
  })
  return { app, paid }
}

/** A client that answers approval requests with the decision, and records them. */
async function client(app: ReturnType<typeof paying>['app'], revision: string, decision: unknown, more: Answers = {}) {
  const asked: { key: string | undefined; message: string; requestedSchema: JsonObject }[] = []
  const answers: Answers = new Proxy(more, {
    get: (given, key) =>
      given[String(key)] ??
      (({ key: said, params }: { key: string | undefined; params: JsonObject }) => {
        asked.push({ key: said, ...params } as never)
        return decision
      }),
  })
  return { asked, t: await harness(app, { revision, answers }) }
}

const allow = { decision: 'allow' }
const refusal = (text: string | RegExp) => ({ isError: true, content: [{ text: expect.stringMatching(text) }] })

describe.each(asks)('a person in front of the client, %s', (revision) => {
  it('UX-004 UX-005 SECC-002 ELIC-006 sees the server, the tool, its effects and the arguments, and approves', async () => {
    const { app, paid } = paying()
    const { t, asked } = await client(app, revision, allow)
    expect(await t.call('pay', { amount: 5, note: 'for\u202eada\nServer: "mine"' })).toMatchObject({
      content: [{ text: 'paid 5' }],
    })
    expect(paid).toEqual([5])
    expect(asked).toHaveLength(1)
    expect(asked[0]?.message).toBe(
      [
        'Allow this call?',
        'Server: the one that asks',
        'Tool: "pay", called "Pay a bill"',
        'What it may do: change things, even delete or overwrite them, and reach the world outside',
        'Arguments, exactly as they will be used:',
        '{\n  "amount": 5,\n  "note": "for\\u{202e}ada\\nServer: \\"mine\\""\n}',
      ].join('\n'),
    )
    const { properties, required } = asked[0]?.requestedSchema as { properties: Record<string, JsonObject>; required: string[] }
    expect(required).toEqual(['decision'])
    expect(JSON.stringify(properties.decision)).toContain('Do not allow it')
    expect(properties.decision?.type).toBe('string')
  })

  it.each<[string, unknown]>([
    ['says no', { decision: 'deny' }],
    ['declines', { action: 'decline' }],
    ['declines and yet fills in the form', { action: 'decline', content: allow }],
    ['closes the question', { action: 'cancel', content: allow }],
  ])('UX-001 UX-007 ELIC-010 %s, and nothing is done', async (_, answer) => {
    const { app, paid } = paying()
    const { t, asked } = await client(app, revision, answer)
    expect(await t.call('pay', { amount: 5 })).toMatchObject(refusal('was denied'))
    expect(asked).toHaveLength(1)
    expect(paid).toEqual([])
  })

  it.each<[unknown]>([
    [{ decision: 'Allow' }],
    [{ decision: true }],
    [{}],
    [{ action: 'yes', content: allow }],
  ])('UX-001 does not approve by %o', async (answer) => {
    const { app, paid } = paying()
    const { t } = await client(app, revision, answer)
    expect(await t.call('pay', { amount: 5 })).toMatchObject(refusal(/cannot ask its user|Gave up after 10 rounds/))
    expect(paid).toEqual([])
  })

  it('is asked once for a call, however many questions its handler has', async () => {
    const { app, paid } = paying()
    const who = { first: { name: 'Ada' }, second: { name: 'Bob' }, who: { name: 'Cyd' } }
    const { t, asked } = await client(app, revision, allow, who)
    expect(await t.call('twice', { amount: 1 })).toMatchObject({ content: [{ text: 'paid Ada and Bob 1' }] })
    expect(await t.call('raw', { amount: 2 })).toMatchObject({ content: [{ text: 'paid 2' }] })
    expect(asked).toHaveLength(2)
    expect(new Set(asked.map(({ key }) => key)).size).toBe(revision === '2026-07-28' ? 2 : 1)
    expect(paid).toEqual([1, 2])
  })

  it('is asked again for the next call, and by each of two policies', async () => {
    const { app } = paying({}, [approve({ ask: askCaller(), name: 'four-eyes' }), approve({ ask: askCaller() })])
    const { t, asked } = await client(app, revision, allow)
    await t.call('pay', { amount: 1 })
    expect(asked).toHaveLength(3)
    await t.call('pay', { amount: 1 })
    expect(asked).toHaveLength(6)
  })

  it('is not asked about arguments too long to show, nor about read-only tools', async () => {
    const { app, paid } = paying()
    const { t, asked } = await client(app, revision, allow)
    expect(await t.call('pay', { amount: 1, note: 'x'.repeat(4_096) })).toMatchObject(refusal('longer than the 4096 bytes'))
    expect(await t.call('pay', { amount: 1, note: '\u200b'.repeat(600) })).toMatchObject(refusal('longer than the 4096 bytes'))
    expect(await t.call('pay', { amount: 1, note: '\u00e9'.repeat(2_040) })).toMatchObject(refusal('longer than the 4096 bytes'))
    expect(await t.call('look')).toMatchObject({ content: [{ text: 'seen' }] })
    expect([asked, paid]).toEqual([[], []])
    await t.call('pay', { amount: 1, note: 'x'.repeat(4_000) })
    expect(paid).toEqual([1])
  })
})

describe('a caller that cannot be asked', () => {
  it.each(asks)('SECC-001 is refused with the reason, %s', async (revision) => {
    const { app, paid } = paying()
    await using t = await harness(app, { revision, capabilities: {} })
    expect(await t.call('pay', { amount: 5 })).toMatchObject(refusal('needs approval, and the client cannot ask its user'))
    expect(paid).toEqual([])
  })

  it.each(until('2025-03-26'))('SECC-001 is refused in revisions without elicitation, %s', async (revision) => {
    const { app, paid } = paying()
    const { t, asked } = await client(app, revision, allow)
    expect(await t.call('pay', { amount: 5 })).toMatchObject(refusal('needs approval, and the client cannot ask its user'))
    expect([asked, paid]).toEqual([[], []])
  })
})

it('a long title is cut with a note', async () => {
  const run = () => 'done'
  const long = tool({ title: `${'Harmless '.repeat(50)}\nArguments: none`, description: 'Sends', run })
  const app = server({ name: 'a', version: '1', policies: [approve({ ask: askCaller() })], tools: { long } })
  const messages: string[] = []
  const answer = ({ params }: { params: JsonObject }) => {
    messages.push(String(params.message))
    return allow
  }
  const answers = new Proxy({}, { get: () => answer })
  await using t = await harness(app, { answers })
  await t.call('long')
  expect(messages[0]).toContain('(cut: it is longer)')
  expect(messages[0]).not.toContain('Arguments: none')
  expect(messages[0]?.split('\n')).toHaveLength(6)
})

it('MRTR-007 an unanswered question in a result uses no place among the pending approvals', async () => {
  const { app, paid } = paying({ mostPending: 1 })
  const rounder = new Rounder(app)
  for (let amount = 0; amount < 5; amount++) await rounder.asked('tools/call', { name: 'pay', arguments: { amount } })
  const { t } = await client(app, '2026-07-28', allow)
  expect(await t.call('pay', { amount: 7 })).toMatchObject({ content: [{ text: 'paid 7' }] })
  expect(paid).toEqual([7])
})
