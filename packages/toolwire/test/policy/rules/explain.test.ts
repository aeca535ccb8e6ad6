import { describe, expect, it } from 'vitest'
import { defineRules, explain, runCases } from '../../../src/rules.js'
import { callOf } from '../call.js'

const set = defineRules({
  default: 'deny',
  rules: [
    { name: 'robots', when: { caller: 'robot-*', tool: 'pay' }, decision: 'deny', because: 'robots do not pay' },
    {
      name: 'large',
      when: { tool: 'pay', arguments: { sum: { minimum: 100 } } },
      decision: 'ask',
      limit: { calls: 3, per: 'day' },
    },
    { name: 'pay', when: { tool: 'pay', caller: { scopes: ['pay'] } }, decision: 'allow', timeout: 5_000 },
  ],
  cases: [
    { call: { tool: 'pay', caller: { id: 'ada', scopes: ['pay'] }, arguments: { sum: 5 } }, expect: 'allow', rule: 'pay' },
    { call: { tool: 'pay', caller: 'robot-1' }, expect: 'deny', rule: 'robots' },
    { call: { tool: 'other' }, expect: 'deny', rule: null },
  ],
})
const ada = { id: 'ada', scopes: ['pay'] }

describe('explain', () => {
  it('names the deciding rule with its reason, and why earlier rules did not match', () => {
    const explanation = explain(set, { tool: 'pay', caller: ada, arguments: { sum: 5 } })
    expect(explanation).toEqual({
      decision: 'allow',
      rule: 'pay',
      why: '"pay" is the first rule that matches',
      hidden: false,
      considered: [
        { rule: 'robots', decision: 'deny', outcome: 'did not fit', why: `the caller's id "ada" does not match "robot-*"` },
        {
          rule: 'large',
          decision: 'ask',
          outcome: 'did not fit',
          why: '/sum: expected a number that is at least 100, got the number 5',
        },
        { rule: 'pay', decision: 'allow', outcome: 'decided' },
      ],
      terms: [{ name: 'pay', timeout: 5_000 }],
    })
    // The names of rules are also types.
    const name: 'robots' | 'large' | 'pay' | undefined = explanation.rule
    expect(name).toBe('pay')
  })

  it.each([
    [{ tool: '*delete*' }, `the tool's name "read" does not match "*delete*"`],
    [{ tool: ['write_?', 'drop'] }, `the tool's name "read" does not match "write_?" or "drop"`],
    [{ tool: [...'abcdefg'] }, `the tool's name "read" does not match "a" or "b" or "c" or "d" or "e" or 2 more`],
    [{ server: 'shop' }, `the server's id "files" does not match "shop"`],
    [{ server: 'files', tool: 'write' }, `the tool's name "read" does not match "write"`],
    [{ tool: { pattern: '^w' } }, '/tool: expected a string that matches ^w, got the string "read"'],
  ])('shows the names of a rule as written: %j', (when, why) => {
    const { considered } = explain({ rules: [{ name: 'it', when, decision: 'deny' }] }, { server: 'files', tool: 'read' })
    expect(considered).toEqual([{ rule: 'it', decision: 'deny', outcome: 'did not fit', why }])
  })

  it('notes a rule that may match', () => {
    const { decision, rule, why, considered, terms } = explain(set, { tool: 'pay', caller: ada, arguments: { sum: '500' } })
    expect({ decision, rule, why }).toEqual({
      decision: 'ask',
      rule: 'large',
      why: '"large" may apply to this call, so the call needs approval',
    })
    expect(considered[1]).toMatchObject({ rule: 'large', outcome: 'might fit' })
    expect(terms.map(({ name }) => name)).toEqual(['large', 'pay'])
  })

  it('notes that the tool is hidden, and that the default decides', () => {
    expect(explain(set, { tool: 'pay', caller: 'robot-1' })).toMatchObject({
      hidden: true,
      why: expect.stringContaining('robots do not pay'),
    })
    expect(explain(set, { tool: 'x' })).toMatchObject({
      hidden: true,
      rule: undefined,
      why: 'no rule matches, and the default is deny',
    })
    expect(explain(set, { tool: 'pay', caller: 'bob' })).toMatchObject({ decision: 'deny', hidden: false })
    expect(explain({ rules: [] }, { tool: 'x' }).why).toBe('no rule matches, and the tool may change something')
  })

  it('also accepts a call in progress', () => {
    expect(explain(set, callOf())).toMatchObject({ decision: 'deny', rule: undefined })
  })
})

describe('cases', () => {
  it('are run, and failures show the actual result', () => {
    expect(runCases(set)).toEqual({ passed: 3, failed: [] })
    const wrong = runCases(set, [
      { name: 'robots pay', call: { tool: 'pay', caller: 'robot-1' }, expect: 'allow' },
      { call: { tool: 'pay', caller: ada, arguments: { sum: 5 } }, expect: 'allow', rule: 'large' },
      { call: { tool: 'other' }, expect: 'deny' },
    ])
    expect(wrong.passed).toBe(1)
    expect(wrong.failed.map(({ index, message }) => [index, message])).toEqual([
      [0, 'robots pay: expected allow, got deny by "robots" ("robots" is the first rule that matches: robots do not pay)'],
      [1, 'a call to pay: expected allow by "large", got allow by "pay" ("pay" is the first rule that matches)'],
    ])
  })
})
