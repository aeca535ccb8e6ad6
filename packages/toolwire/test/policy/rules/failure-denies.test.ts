// When the rules cannot be evaluated the answer is no.
import { afterEach, describe, expect, it, vi } from 'vitest'
import { approve } from '../../../src/policy/approve/index.js'
import type { Policy } from '../../../src/policy/policy.js'
import { isAskedByRule } from '../../../src/policy/rules/ask-mark.js'
import type { RulesOptions } from '../../../src/policy/rules/index.js'
import type { Rules } from '../../../src/policy/rules/rulebook.js'
import { Rulebook, type RuleSet, rules } from '../../../src/rules.js'
import { Refusal } from '../../../src/tools/refusal.js'
import { callOf, done, through } from '../call.js'

afterEach(() => void vi.useRealTimers())

const open: RuleSet = { default: 'allow', rules: [] }
const asking: RuleSet = { default: 'ask', rules: [] }
const limited: RuleSet = { rules: [{ name: 'some', decision: 'allow', limit: { calls: 5, per: 'minute' } }] }

/** What a call comes to, which must not be made. */
async function refusalOf(source: Rules, options: RulesOptions = {}, call = callOf()) {
  const { sent, refusal } = await through(rules(source, options), call)
  expect(sent).toEqual([])
  return refusal
}
const undecided = { reason: 'forbidden', message: 'The rules could not be evaluated, so the call to send was not made.' }

describe('the answer is no', () => {
  it('when a check runs out of steps, even for a rule that would deny and a default that allows', async () => {
    const set: RuleSet = {
      default: 'allow',
      rules: [{ name: 'doubles', when: { arguments: { list: { not: { uniqueItems: true } } } }, decision: 'deny' }],
    }
    const list = Array.from({ length: 30_000 }, (_, index) => ({ index, same: [index] }))
    expect(await refusalOf(set, {}, callOf({ arguments: { list } }))).toMatchObject(undecided)
    expect((await through(rules(set), callOf({ arguments: { list: [1, 2] } }))).result).toBe(done)
  })

  it('when the labels of the result cannot be found', async () => {
    const when = { arguments: { list: { not: { uniqueItems: true } } } }
    const list = Array.from({ length: 30_000 }, (_, index) => ({ index, same: [index] }))
    const set: RuleSet = { ...open, labels: [{ name: 'doubles', when }] }
    expect(await refusalOf(set, {}, callOf({ arguments: { list } }))).toMatchObject(undecided)
  })

  it('when many rules together run out of steps that each of them would have, and the next call has all of them again', async () => {
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
  ])('when a list of paths for %s takes too long to read, for a rule that allows and one that denies', async (keyword) => {
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

  it('when arguments nest deeper than can be followed', async () => {
    const call = {
      $defs: { tree: { additionalProperties: { $ref: '#/$defs/tree' } } },
      not: { properties: { arguments: { $ref: '#/$defs/tree' } } },
    }
    const set: RuleSet = { default: 'allow', rules: [{ name: 'no', when: { call }, decision: 'deny' }] }
    let deep = {}
    for (let depth = 0; depth < 3_000; depth++) deep = { deep }
    expect(await refusalOf(set, {}, callOf({ arguments: deep }))).toMatchObject(undecided)
  })

  it('when arguments throw as they are looked at', async () => {
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

  it('when there are no rules in force, or what holds them throws; lists are empty then', async () => {
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

  it('when the allowances cannot be consulted, answer nonsense, or never answer', async () => {
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

  it('when a person should be asked and there is nobody to ask', async () => {
    expect(await refusalOf(asking)).toMatchObject({ reason: 'not-approved' })
    expect(await refusalOf(asking, { ask: { name: 'list only' } })).toMatchObject({ reason: 'not-approved' })
  })

  it('when whoever should ask lets the call through without having looked at why', async () => {
    const careless: Policy = { name: 'careless', call: (call, next) => next(call) }
    expect(await refusalOf(asking, { ask: careless })).toMatchObject({ reason: 'not-approved' })
    const readers = approve({ ask: () => 'allow', when: (call) => !call.tool.definition.hints?.readOnly && false })
    const call = callOf({ hints: { readOnly: true } })
    expect(await refusalOf(asking, { ask: readers }, call)).toMatchObject({ reason: 'not-approved' })
  })

  it('when asking fails', async () => {
    const broken = approve({ ask: () => Promise.reject(new Error('no screen')), when: isAskedByRule })
    expect(await refusalOf(asking, { ask: broken })).toMatchObject({ reason: 'not-approved' })
  })

  it('when a rule cannot be compiled: it is refused before any call', () => {
    expect(() => rules({ rules: [{ name: 'x', when: { call: { type: 'strnig' } }, decision: 'allow' }] })).toThrow(
      /\/rules\/0\/when\/call/,
    )
    expect(() => new Rulebook({ rules: [{ name: 'x' } as never] })).toThrow(/decision/)
  })

  it('and yes otherwise', async () => {
    expect((await through(rules(open), callOf())).result).toBe(done)
    expect((await through(rules(limited), callOf())).result).toBe(done)
  })
})

it('keeps everything out of logs when it cannot tell what is a secret', async () => {
  const policy = rules({ current: undefined })
  expect(await policy.redact(callOf({ arguments: { to: 'ada', token: 'hush' } }))).toEqual({
    to: '[redacted]',
    token: '[secret removed: named-secret]',
  })
})
