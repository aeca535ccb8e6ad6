import { describe, expect, it } from 'vitest'
import { defineRules, explain, Rulebook, type RuleSet, rules } from '../../../src/rules.js'
import { Refusal } from '../../../src/tools/refusal.js'
import { callOf, done, through, toolOf } from '../call.js'

const decide = (set: RuleSet, call: Parameters<typeof explain>[1]) => explain(set, call).decision

describe('the deciding rule', () => {
  it('is the first that matches', () => {
    const set = defineRules({
      default: 'deny',
      rules: [
        { name: 'no drafts', when: { tool: 'read_draft' }, decision: 'deny' },
        { name: 'reading', when: { tool: 'read_*' }, decision: 'allow' },
        { name: 'all of it', decision: 'ask' },
      ],
    })
    const by = (tool: string) => {
      const { rule, decision } = explain(set, { tool })
      return [rule, decision]
    }
    expect(by('read_draft')).toEqual(['no drafts', 'deny'])
    expect(by('read_letter')).toEqual(['reading', 'allow'])
    expect(by('write_letter')).toEqual(['all of it', 'ask'])
  })

  it('TANN-001 TANN-002 is the default if no rule matches: read-only tools run, and other tools need approval', () => {
    const set: RuleSet = { rules: [] }
    expect(decide(set, { tool: 'x', hints: { readOnly: true, destructive: true } })).toBe('allow')
    expect(decide(set, { tool: 'x' })).toBe('ask')
    expect(decide(set, { tool: 'x', hints: { destructive: false, idempotent: true } })).toBe('ask')
    expect(decide({ ...set, default: 'deny' }, { tool: 'x', hints: { readOnly: true } })).toBe('deny')
    expect(decide({ ...set, default: 'allow' }, { tool: 'x' })).toBe('allow')
  })

  it('is the claim of the server only if configured, with no matching rule, no default and no contradicting claim', () => {
    const claims = { readOnly: true }
    const by = (set: RuleSet, call: Parameters<typeof explain>[1]) =>
      explain(new Rulebook(set, { readOnlyClaims: 'run' }), call).decision
    expect(by({ rules: [] }, { tool: 'x', claims })).toBe('allow')
    expect(explain(new Rulebook({ rules: [] }, { readOnlyClaims: 'run' }), { tool: 'x', claims }).why).toContain('not verified')
    expect(by({ rules: [] }, { tool: 'x', claims: { readOnly: true, destructive: true } })).toBe('ask')
    expect(by({ rules: [] }, { tool: 'x', claims: { readOnly: false } })).toBe('ask')
    expect(by({ rules: [] }, { tool: 'x' })).toBe('ask')
    expect(by({ rules: [], default: 'ask' }, { tool: 'x', claims })).toBe('ask')
    const asking = { name: 'all', when: { tool: 'x' }, decision: 'ask' } as const
    expect(by({ rules: [asking] }, { tool: 'x', claims })).toBe('ask')
    // A rule that may match still requires its approval.
    const maybe = { ...asking, when: { arguments: { to: { type: 'string', optional: false } } } } as const
    expect(by({ rules: [maybe] }, { tool: 'x', claims, arguments: { to: 'ada' } })).toBe('ask')
    expect(decide({ rules: [] }, { tool: 'x', claims })).toBe('ask')
    const reading = { name: 'reading', when: { hints: { readOnly: true } }, decision: 'deny' } as const
    expect(by({ rules: [reading] }, { tool: 'x', claims })).not.toBe('deny')
  })

  it('TANN-003 TANN-004 ignores hints that a server only claims', async () => {
    const set: RuleSet = { default: 'deny', rules: [{ name: 'reading', when: { hints: { readOnly: true } }, decision: 'allow' }] }
    const claimed = callOf({ listed: { annotations: { readOnlyHint: true } } })
    expect((await through(rules(set), claimed)).refusal).toMatchObject({ reason: 'unknown-tool' })
    const trusted = callOf({ hints: { readOnly: true } })
    expect((await through(rules(set), trusted)).result).toBe(done)
  })
})

describe('conditions', () => {
  const matches = (when: RuleSet['rules'][number]['when'], call: Parameters<typeof explain>[1]): boolean =>
    explain({ default: 'deny', rules: [{ name: 'it', when: when ?? {}, decision: 'allow' }] }, call).decision === 'allow'

  it.each([
    ['read_*', 'read_', true],
    ['read_*', 'reading', false],
    ['read_*', 'x_read_y', false],
    ['*_file', 'read_file', true],
    ['*_file', 'read_files', false],
    ['a*b*c', 'a-b-b-c', true],
    ['a*b*c', 'a-c', false],
    ['file.read', 'filexread', false],
    ['v?', 'v1', true],
    ['v?', 'v12', false],
    ['*', 'anything', true],
    ['Read', 'read', false],
  ])('match the glob %s and the tool %s', (glob, tool, expected) => {
    expect(matches({ tool: glob }, { tool })).toBe(expected)
    expect(matches({ tool: ['never', glob] }, { tool })).toBe(expected)
  })

  it('may be a JSON Schema for a name, and for the whole call', () => {
    expect(matches({ tool: { pattern: '^(get|list)_' } }, { tool: 'list_all' })).toBe(true)
    expect(matches({ tool: { pattern: '^(get|list)_' } }, { tool: 'drop_all' })).toBe(false)
    const call = { properties: { arguments: { required: ['a'] }, caller: { properties: { id: { const: 'ada' } } } } }
    expect(matches({ call }, { tool: 't', caller: 'ada', arguments: { a: 1 } })).toBe(true)
    expect(matches({ call }, { tool: 't', caller: 'bob', arguments: { a: 1 } })).toBe(false)
    expect(matches({ call }, { tool: 't', caller: 'ada' })).toBe(false)
  })

  it('may name the server, which a locally served call does not have', () => {
    expect(matches({ server: 'files' }, { server: 'files', tool: 't' })).toBe(true)
    expect(matches({ server: '*' }, { tool: 't' })).toBe(false)
  })

  it('may name hints, tags and callers', () => {
    expect(matches({ hints: { destructive: false } }, { tool: 't', hints: { destructive: false } })).toBe(true)
    expect(matches({ hints: { destructive: false } }, { tool: 't' })).toBe(false)
    expect(matches({ tags: ['money', 'eu'] }, { tool: 't', tags: ['eu', 'money'] })).toBe(true)
    expect(matches({ tags: ['money', 'eu'] }, { tool: 't', tags: ['eu'] })).toBe(false)
    expect(matches({ caller: 'agent-*' }, { tool: 't', caller: 'agent-7' })).toBe(true)
    expect(matches({ caller: { scopes: ['a', 'b'] } }, { tool: 't', caller: { id: 'x', scopes: ['b', 'a'] } })).toBe(true)
    expect(matches({ caller: { scopes: ['a', 'b'] } }, { tool: 't', caller: { id: 'x', scopes: ['b'] } })).toBe(false)
    expect(matches({ caller: { scopes: ['a'] } }, { tool: 't', caller: { id: 'x', scopes: ['*'] } })).toBe(true)
    expect(matches({ caller: { lacks: ['admin'] } }, { tool: 't', caller: { id: 'x', scopes: ['*'] } })).toBe(false)
    expect(matches({ caller: { lacks: ['admin'] } }, { tool: 't', caller: 'x' })).toBe(true)
    expect(matches({ caller: { anonymous: true } }, { tool: 't' })).toBe(true)
    expect(matches({ caller: { anonymous: true } }, { tool: 't', caller: 'x' })).toBe(false)
  })

  it.each([
    ['a value', 5, [5], [6, '5', null, undefined]],
    ['one of several', ['main', 'dev'], ['main', 'dev'], ['Main', ['main'], undefined]],
    ['a pattern', { pattern: '^/srv/' }, ['/srv/x'], ['/etc', ['/srv/x'], 7, null, undefined]],
    ['a glob', { glob: 'release/*' }, ['release/1'], ['release', 'x/release/1', ['release/1']]],
    ['a bound', { maximum: 10 }, [10, -1], [11, '5', null, [5]]],
    ['members', { properties: { a: { const: 1 } }, required: ['a'] }, [{ a: 1 }], [{ a: 2 }, {}, [], 'a']],
    ['items', { items: { minimum: 1 } }, [[1, 2], []], [[0], 1, '1', [['1']]]],
    ['not', { not: { pattern: '^/etc' } }, ['/srv'], ['/etc', ['/etc/passwd'], 7]],
    ['one of two', { anyOf: [{ pattern: '^a' }, { minimum: 3 }] }, ['a', 3], ['b', 2, null]],
    ['optional', { const: false, optional: true }, [false, undefined], [true, 'false']],
  ])('may constrain an argument: %s', (_, condition, fitting, others) => {
    const fits = (value: unknown) =>
      matches(
        { arguments: { a: condition as never } },
        { tool: 't', arguments: value === undefined ? {} : { a: value as never } },
      )
    expect(fitting.map(fits)).toEqual(fitting.map(() => true))
    expect(others.map(fits)).toEqual(others.map(() => false))
  })

  it('may forbid all other arguments', () => {
    const when = { arguments: { path: { under: '/srv' } }, closed: true }
    expect(matches(when, { tool: 't', arguments: { path: '/srv/a' } })).toBe(true)
    expect(matches(when, { tool: 't', arguments: { path: '/srv/a', Path: '/etc/passwd' } })).toBe(false)
  })
})

describe('a rule that may match', () => {
  const denies = (condition: unknown, value: unknown) =>
    decide(
      { default: 'allow', rules: [{ name: 'no', when: { arguments: { a: condition as never } }, decision: 'deny' }] },
      { tool: 't', arguments: value === undefined ? {} : { a: value as never } },
    ) === 'deny'

  it.each([
    ['true', true, [true, 'true', 1, null, [true]], [false, undefined]],
    ['a pattern', { pattern: '^/etc' }, ['/etc/x', ['/etc/x'], { path: '/etc' }, 7], ['/srv', undefined]],
    ['a bound', { minimum: 100 }, [100, '100', [100], null], [99, undefined]],
    ['a glob', { glob: 'prod-*' }, ['prod-1', ['prod-1']], ['dev-1']],
    ['not', { not: { enum: ['dev'] } }, ['prod', ['dev'], null], ['dev']],
    ['not a pattern', { not: { pattern: '^/srv/' } }, ['/etc', ['/srv/x'], 7], ['/srv/x']],
  ])('denies ambiguous values: %s', (_, condition, stopped, let_through) => {
    expect(stopped.map((value) => denies(condition, value))).toEqual(stopped.map(() => true))
    expect(let_through.map((value) => denies(condition, value))).toEqual(let_through.map(() => false))
  })

  it('at least asks, and lets later rules deny', () => {
    const set: RuleSet = {
      default: 'allow',
      rules: [
        { name: 'big sums', when: { arguments: { sum: { minimum: 100 } } }, decision: 'ask' },
        { name: 'no lists', when: { arguments: { sum: { type: 'array' } } }, decision: 'deny' },
      ],
    }
    const by = (sum: unknown) => {
      const { decision, rule } = explain(set, { tool: 'pay', arguments: { sum: sum as never } })
      return [decision, rule]
    }
    expect(by(100)).toEqual(['ask', 'big sums'])
    expect(by(99)).toEqual(['allow', undefined])
    expect(by('100')).toEqual(['ask', 'big sums'])
    expect(by([100])).toEqual(['deny', 'no lists'])
  })

  it('denies names that look like its own, and allows only the exact name', () => {
    const set = (decision: 'allow' | 'deny'): RuleSet => ({
      default: decision === 'deny' ? 'allow' : 'deny',
      rules: [{ name: 'it', when: { tool: 'delete_*' }, decision }],
    })
    for (const tool of ['Delete_all', 'DELETE_ALL', 'ｄｅｌｅｔｅ_all', 'del\u200bete_all', 'delete\u00ad_all']) {
      expect([tool, decide(set('deny'), { tool })]).toEqual([tool, 'deny'])
      expect([tool, decide(set('allow'), { tool })]).toEqual([tool, 'deny'])
    }
  })
})

describe('the text of a refusal', () => {
  const set: RuleSet = {
    default: 'deny',
    rules: [
      { name: 'admins', when: { tool: 'wipe', caller: { scopes: ['admin'] } }, decision: 'allow' },
      { name: 'small', when: { tool: 'send', arguments: { to: 'ada' } }, decision: 'allow' },
    ],
  }

  it('SECS-002 is that of an unknown tool if no call of the caller can be allowed, and lists agree', async () => {
    const policy = rules(set)
    const [send, wipe] = [toolOf(), toolOf({ listed: { name: 'wipe' } })]
    const ada = { id: 'ada', scopes: [] }
    expect(policy.list?.([send, wipe], ada)).toEqual([send])
    expect(policy.list?.([send, wipe], { id: 'root', scopes: ['admin'] })).toEqual([send, wipe])
    const { refusal, sent } = await through(policy, callOf({}, wipe))
    expect(refusal).toEqual(new Refusal('unknown-tool', 'Unknown tool: wipe'))
    expect(sent).toEqual([])
  })

  it('SECS-002 is that the call is not allowed, with the reason, if another call can be allowed', async () => {
    const because: RuleSet = {
      ...set,
      rules: [{ name: 'no', when: { arguments: { to: 'bob' } }, decision: 'deny', because: 'Bob is away' }, ...set.rules],
    }
    const { refusal, sent } = await through(rules(because), callOf({ arguments: { to: 'bob' } }))
    expect(refusal).toMatchObject({ reason: 'forbidden', message: 'This call to send is not allowed: Bob is away' })
    expect(sent).toEqual([])
  })

  it('never reveals a tool to a caller without its scopes', async () => {
    const tool = toolOf()
    const guarded = { ...tool, definition: { ...tool.definition, scopes: ['admin'] } }
    const { refusal } = await through(rules({ rules: [] }), callOf({}, guarded))
    expect(refusal).toMatchObject({ reason: 'unknown-tool', message: 'Unknown tool: send' })
  })
})
