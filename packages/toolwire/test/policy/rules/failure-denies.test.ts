// Calls are denied if the rules cannot be evaluated.
import { afterEach, describe, expect, it, vi } from 'vitest'
import { approve } from '../../../src/policy/approve/index.js'
import type { Policy } from '../../../src/policy/policy.js'
import { isAskedByRule } from '../../../src/policy/rules/ask-mark.js'
import type { RulesOptions } from '../../../src/policy/rules/index.js'
import type { RuleCondition } from '../../../src/policy/rules/rule-set.js'
import type { Rules } from '../../../src/policy/rules/rulebook.js'
import { Rulebook, type RuleSet, rules } from '../../../src/rules.js'
import { Refusal } from '../../../src/tools/refusal.js'
import { callOf, done, through } from '../call.js'

afterEach(() => void vi.useRealTimers())

const open: RuleSet = { default: 'allow', rules: [] }
const asking: RuleSet = { default: 'ask', rules: [] }
const limited: RuleSet = { rules: [{ name: 'some', decision: 'allow', limit: { calls: 5, per: 'minute' } }] }

/** The refusal of a call, which must not have been made. */
async function refusalOf(source: Rules, options: RulesOptions = {}, call = callOf()) {
  const { sent, refusal } = await through(rules(source, options), call)
  expect(sent).toEqual([])
  return refusal
}
const undecided = { reason: 'forbidden', message: 'The rules could not be evaluated, so the call to send was not made.' }

describe('the call is denied', () => {
  it('if a check runs out of steps, even for a rule that would deny and a default that allows', async () => {
    const set: RuleSet = {
      default: 'allow',
      rules: [{ name: 'doubles', when: { arguments: { list: { not: { uniqueItems: true } } } }, decision: 'deny' }],
    }
    const list = Array.from({ length: 30_000 }, (_, index) => ({ index, same: [index] }))
    expect(await refusalOf(set, {}, callOf({ arguments: { list } }))).toMatchObject(undecided)
    expect((await through(rules(set), callOf({ arguments: { list: [1, 2] } }))).result).toBe(done)
  })

  it('if the labels of the result cannot be found', async () => {
    const when = { arguments: { list: { not: { uniqueItems: true } } } }
    const list = Array.from({ length: 30_000 }, (_, index) => ({ index, same: [index] }))
    const set: RuleSet = { ...open, labels: [{ name: 'doubles', when }] }
    expect(await refusalOf(set, {}, callOf({ arguments: { list } }))).toMatchObject(undecided)
  })

  it('if many rules together run out of steps, and the next call has all steps again', async () => {
    const ruleOf = (at: number) => ({
      name: `rule ${at}`,
      when: { arguments: { list: { contains: { const: `z${at}` } } } },
      decision: 'deny' as const,
    })
    const set = (count: number): RuleSet => ({ default: 'allow', rules: Array.from({ length: count }, (_, at) => ruleOf(at)) })
    const list = Array.from({ length: 10_000 }, () => 'a')
    const policy = rules(set(40))
    expect((await through(rules(set(2)), callOf({ arguments: { list } }))).result).toBe(done)
    expect((await through(policy, callOf({ arguments: { list } }))).refusal).toMatchObject(undecided)
    expect((await through(policy, callOf({ arguments: { list: ['a'] } }))).result).toBe(done)
  })

  it.each([
    'under',
    'outside',
  ])('if a list of paths for %s takes too long to read, for a rule that allows and one that denies', async (keyword) => {
    for (const path of ['/srv/%41 17', '/srv/%2525252541', '/srv//\u{fdfa}/a'])
      for (const decision of ['allow', 'deny'] as const) {
        const here = keyword === 'under' ? '/srv' : '/etc'
        const there = keyword === 'under' ? '/etc' : '/srv'
        const when = { arguments: { path: { [keyword]: decision === 'allow' ? here : there } } }
        const set: RuleSet = { default: decision === 'allow' ? 'deny' : 'allow', rules: [{ name: 'there', when, decision }] }
        const callWith = (count: number) => callOf({ arguments: { path: Array.from({ length: count }, () => path) } })
        expect((await through(rules(set), callWith(10))).result).toBe(done)
        expect(await refusalOf(set, {}, callWith(5_000))).toMatchObject(undecided)
      }
  })

  it('if arguments are nested too deeply', async () => {
    const call = {
      $defs: { tree: { additionalProperties: { $ref: '#/$defs/tree' } } },
      not: { properties: { arguments: { $ref: '#/$defs/tree' } } },
    }
    const set: RuleSet = { default: 'allow', rules: [{ name: 'no', when: { call }, decision: 'deny' }] }
    let deep = {}
    for (let depth = 0; depth < 3_000; depth++) deep = { deep }
    expect(await refusalOf(set, {}, callOf({ arguments: deep }))).toMatchObject(undecided)
  })

  it('if arguments throw on access', async () => {
    const set: RuleSet = { default: 'allow', rules: [{ name: 'no', when: { arguments: { to: 'bob' } }, decision: 'deny' }] }
    const hostile = {
      get to(): string {
        throw new Error('not for you')
      },
    }
    expect(await refusalOf(set, {}, callOf({ arguments: hostile }))).toMatchObject({
      ...undecided,
      cause: { message: 'not for you' },
    })
  })

  it('if there are no rules or their source throws, and lists are then empty', async () => {
    const gone = {
      get current(): Rulebook {
        throw new Error('the store is gone')
      },
    }
    for (const source of [{ current: undefined }, gone, { current: {} as Rulebook }]) {
      expect(await refusalOf(source)).toMatchObject(undecided)
      expect(rules(source).list?.([callOf().tool], { id: 'ada', scopes: ['*'] })).toEqual([])
    }
  })

  it('if the limit store fails, gives invalid answers, or does not answer', async () => {
    const boom = () => {
      throw new Error('connection reset')
    }
    const store = (take: () => unknown) => ({ store: { take: take as () => number } })
    expect(await refusalOf(limited, store(boom))).toMatchObject(undecided)
    expect(
      await refusalOf(
        limited,
        store(async () => boom()),
      ),
    ).toMatchObject(undecided)
    for (const nonsense of [Number.NaN, undefined, null, -1, 'yes'])
      for (const answer of [() => nonsense, async () => nonsense])
        expect(await refusalOf(limited, store(answer))).toBeInstanceOf(Refusal)
    vi.useFakeTimers()
    const hanging = refusalOf(
      limited,
      store(() => new Promise(() => undefined)),
    )
    await vi.advanceTimersByTimeAsync(5_001)
    expect(await hanging).toMatchObject(undecided)
  })

  it('if approval is needed and there is no approver', async () => {
    expect(await refusalOf(asking)).toMatchObject({ reason: 'not-approved' })
    expect(await refusalOf(asking, { ask: { name: 'list only' } })).toMatchObject({ reason: 'not-approved' })
  })

  it('if the approving policy ignores the question', async () => {
    const careless: Policy = { name: 'careless', call: (call, next) => next(call) }
    expect(await refusalOf(asking, { ask: careless })).toMatchObject({ reason: 'not-approved' })
    const readers = approve({ ask: () => 'allow', when: (call) => !call.tool.definition.hints?.readOnly && false })
    const call = callOf({ hints: { readOnly: true } })
    expect(await refusalOf(asking, { ask: readers }, call)).toMatchObject({ reason: 'not-approved' })
  })

  it('if asking fails', async () => {
    const broken = approve({ ask: () => Promise.reject(new Error('no screen')), when: isAskedByRule })
    expect(await refusalOf(asking, { ask: broken })).toMatchObject({ reason: 'not-approved' })
  })

  it.each<[string, RuleCondition, RegExp]>([
    ['no folder', { arguments: { path: { outside: [] } } }, /arguments\/path\/outside: must name at least one/],
    ['no folder', { arguments: { path: { under: [] } } }, /arguments\/path\/under: must name at least one/],
    ['an unknown keyword', { call: { propertis: {} } }, /call\/propertis: .*; there is properties/],
    [
      'an unknown keyword far inside',
      { call: { properties: { arguments: { properties: { amount: { maximun: 5 } } } } } },
      /amount\/maximun: .*; there is maximum/,
    ],
    ['an unknown keyword in a list', { call: { anyOf: [true, { enmu: [] }] } }, /anyOf\/1\/enmu: .*; there is enum/],
    [
      'a member that no call has',
      { call: { properties: { argument: {} } } },
      /call\/properties: .*"argument".*; there is arguments/,
    ],
    ['a member that no call has', { call: { not: { required: ['argument'] } } }, /not\/required: .*; there is arguments/],
    [
      'a member that no caller has',
      { call: { properties: { caller: { properties: { scope: {} } } } } },
      /caller\/properties: .*"scope".*; there is scopes/,
    ],
  ])('before any call if a condition with %s would always hold', (_, when, message) => {
    for (const decision of ['allow', 'deny', 'ask'] as const)
      expect(() => rules({ rules: [{ name: 'x', when, decision }] })).toThrow(message)
    expect(() => rules({ rules: [], labels: [{ name: 'x', when }] })).toThrow(message)
  })

  it('and not if a schema of a call is written in full', () => {
    const $schema = 'http://json-schema.org/draft-07/schema#'
    const call = {
      $schema,
      $comment: 'small amounts',
      definitions: { small: { maximum: 5 } },
      properties: {
        hints: { required: ['readOnly'] },
        arguments: { properties: { amount: { $ref: '#/definitions/small' }, items: { items: [{ const: 1 }] } } },
      },
    }
    expect(new Rulebook({ rules: [{ name: 'x', when: { call }, decision: 'allow' }] }).rules).toHaveLength(1)
  })

  it.each(['/path/~5', '/~', '/a~2b', ''])('before any call if %j cannot be redacted', (pointer) => {
    expect(() => rules({ rules: [], redact: [pointer] })).toThrow(/\/redact\/0/)
    expect(() => rules({ rules: [{ name: 'x', decision: 'allow', redact: [pointer] }] })).toThrow(/\/redact\/0/)
  })

  it('before any call if a rule cannot be compiled', () => {
    expect(() => rules({ rules: [{ name: 'x', when: { call: { type: 'strnig' } }, decision: 'allow' }] })).toThrow(
      /\/rules\/0\/when\/call/,
    )
    expect(() => new Rulebook({ rules: [{ name: 'x' } as never] })).toThrow(/decision/)
  })

  it('and is otherwise allowed', async () => {
    expect((await through(rules(open), callOf())).result).toBe(done)
    expect((await through(rules(limited), callOf())).result).toBe(done)
  })
})

it('all values stay out of logs if the secret ones cannot be determined', async () => {
  const policy = rules({ current: undefined })
  expect(await policy.redact(callOf({ arguments: { to: 'ada', token: 'hush' } }))).toEqual({
    to: '[redacted]',
    token: '[secret removed: named-secret]',
  })
})
