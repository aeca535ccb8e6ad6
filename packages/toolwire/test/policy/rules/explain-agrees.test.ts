// Lists, decisions and explanations agree for any rules and any call.

import fc from 'fast-check'
import { server, tool } from 'toolwire'
import { describe, expect, it } from 'vitest'
import type { Decision, Rule, RuleCondition } from '../../../src/policy/rules/rule-set.js'
import { explain, Rulebook, rules } from '../../../src/rules.js'
import { every } from '../../revisions.js'
import '../../reported-faults.js'
import { judged } from '../../official-schemas.js'
import { howMany } from '../../soak.js'
import { callOf, toolOf } from '../call.js'

const decision = fc.constantFrom<Decision>('allow', 'deny', 'ask')
const optional = <T>(arbitrary: fc.Arbitrary<T>) => fc.option(arbitrary, { nil: undefined })
const name = fc.constantFrom('read_*', 'read_a', '*', ['read_b', 'write_*'], 'READ_A')
const condition = fc.constantFrom(
  'x',
  { under: '/srv' },
  { pattern: '^x' },
  { not: { pattern: '^x' } },
  { optional: true, maximum: 3 },
)
const when: fc.Arbitrary<RuleCondition> = fc
  .record({
    tool: optional(name),
    server: optional(fc.constantFrom('mail', 'other')),
    hints: optional(fc.constantFrom({ readOnly: true }, { destructive: false })),
    caller: optional(fc.constantFrom('ada', 'E*', { scopes: ['s'] }, { lacks: ['s'] })),
    arguments: optional(fc.record({ a: condition })),
    call: optional(fc.constantFrom({ required: ['server'] }, { properties: { arguments: { minProperties: 1 } } })),
  })
  .map((all) => Object.fromEntries(Object.entries(all).filter(([, value]) => value !== undefined)))
const sets = fc.record({
  default: decision,
  rules: fc
    .array(fc.record({ when, decision }), { maxLength: 6 })
    .map((some) => some.map((one, index): Rule => ({ name: `rule ${index}`, ...one }))),
})
const calls = fc.record({
  tool: fc.constantFrom('read_a', 'read_b', 'write_c', 'Read_A'),
  server: fc.constantFrom('mail', 'other'),
  hints: fc.constantFrom({}, { readOnly: true }, { destructive: false }),
  caller: fc.record({ id: fc.constantFrom('ada', 'eve'), scopes: fc.constantFrom([], ['s'], ['*']) }),
  arguments: fc.dictionary(fc.constantFrom('a', 'b'), fc.constantFrom('x', '/srv/x', '/etc', 7, null, ['x'])),
})

/** Rules about whole servers, for some callers or for callers that have received something. */
const serverSets = fc
  .array(
    fc.record({
      decision,
      when: fc
        .record({
          server: fc.constantFrom('mail', 'm*'),
          caller: optional(fc.constant('ada')),
          received: optional(fc.constantFrom('red', 'blue')),
        })
        .map(
          ({ server, ...rest }): RuleCondition => ({
            server,
            ...Object.fromEntries(Object.entries(rest).filter(([, value]) => value !== undefined)),
          }),
        ),
    }),
    { maxLength: 5 },
  )
  .map((some) => ({
    labels: ['red', 'blue'].map((name) => ({ name, when: { server: 'other' } })),
    rules: some.map((one, index): Rule => ({ name: `rule ${index}`, ...one })),
  }))

describe('any rules', () => {
  it('hide a server only if they deny it whatever the caller has received, and always if no rule is about that', () => {
    fc.assert(
      fc.property(serverSets, fc.constantFrom('ada', 'eve'), (set, id) => {
        const book = new Rulebook(set)
        const caller = { id, scopes: [] }
        const denied = [[], ['red'], ['blue'], ['red', 'blue']].map(
          (labels) => book.judgeServer('mail', caller, (label) => labels.includes(label)).denied !== undefined,
        )
        const isHidden = book.hidesServer('mail', caller)
        if (isHidden) expect(denied).toEqual([true, true, true, true])
        else if (!book.isAboutFlows) expect(denied).toEqual([false, false, false, false])
      }),
      { numRuns: howMany(300, 5_000) },
    )
  })

  it('hide a tool only if they deny every call, explain their decision, and decide by the first matching rule', () => {
    fc.assert(
      fc.property(sets, calls, (set, written) => {
        const book = new Rulebook(set)
        const call = {
          ...callOf(
            { server: written.server, hints: written.hints, arguments: written.arguments },
            toolOf({ hints: written.hints, listed: { name: written.tool } }),
          ),
          caller: written.caller,
        }
        const verdict = book.judge(call)
        const explanation = explain(book, written)
        expect([explanation.decision, explanation.rule]).toEqual([verdict.decision, verdict.rule?.name])
        expect(explanation.hidden).toBe(book.hides(call.tool, call.caller, call.server))
        if (explanation.hidden) expect(verdict.decision).toBe('deny')
        const decided = explanation.considered.find(({ outcome }) => outcome === 'decided')
        const decides = decided?.decision ?? set.default
        const cautious = explanation.considered.some(({ outcome }) => outcome === 'might fit')
        expect(verdict.decision).toBe(cautious && decides === 'allow' ? 'ask' : decides)
      }),
      { numRuns: howMany(160, 2_000) },
    )
  })

  it('never allow more after a denying rule is put first', () => {
    const rank = { deny: 0, ask: 1, allow: 2 }
    fc.assert(
      fc.property(sets, when, calls, (set, first, written) => {
        const stricter = { ...set, rules: [{ name: 'first', when: first, decision: 'deny' } as const, ...set.rules] }
        expect(rank[explain(stricter, written).decision]).toBeLessThanOrEqual(rank[explain(set, written).decision])
      }),
    )
  })
})

it.each(every)('at %s a server lists callable tools, and refuses the others as unknown', async (revision) => {
  const run = () => 'done'
  const app = server({
    name: 'shop',
    version: '1',
    tools: { look: tool({ description: 'Looks', hints: { readOnly: true }, run }), wipe: tool({ description: 'Wipes', run }) },
    policies: [rules({ default: 'deny', rules: [{ name: 'reading', when: { hints: { readOnly: true } }, decision: 'allow' }] })],
  })
  const t = await judged(app, { revision })
  expect(await t.request('tools/list')).toMatchObject({ tools: [{ name: 'look' }] })
  expect(await t.call('look')).toMatchObject({ content: [{ text: 'done' }] })
  const answers = await Promise.all(
    ['wipe', 'never'].map((name) => t.call(name).catch((thrown: Error) => thrown.message.replace(name, '…'))),
  )
  expect(answers[0]).toEqual(answers[1])
})
