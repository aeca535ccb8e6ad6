import { afterEach, describe, expect, it, vi } from 'vitest'
import { approve } from '../../../src/policy/approve/index.js'
import { audit } from '../../../src/policy/audit/index.js'
import type { AuditRecord } from '../../../src/policy/audit/record.js'
import type { Policy } from '../../../src/policy/policy.js'
import type { LimitStore } from '../../../src/policy/rate-limit/store.js'
import { isAskedByRule } from '../../../src/policy/rules/ask-mark.js'
import { timeout } from '../../../src/policy/timeout/index.js'
import { Rulebook, type RuleSet, rules } from '../../../src/rules.js'
import type { ToolCall } from '../../../src/tools/tool.js'
import { callOf, done, through, toolOf } from '../call.js'

afterEach(() => void vi.useRealTimers())

describe('a rule with the decision ask', () => {
  const set: RuleSet = { default: 'ask', rules: [{ name: 'to ada', when: { arguments: { to: 'ada' } }, decision: 'allow' }] }

  it('asks a person, even about a read-only tool', async () => {
    const answers = ['allow', 'deny'] as const
    for (const answer of answers) {
      const shown: unknown[] = []
      const ask = approve({
        ask: (request) => {
          shown.push(request.arguments)
          return answer
        },
        when: isAskedByRule,
      })
      const call = callOf({ hints: { readOnly: true }, arguments: { to: 'bob' } })
      const { result, refusal } = await through(rules(set, { ask }), call)
      expect(shown).toEqual([{ to: 'bob' }])
      expect(answer === 'allow' ? result : refusal?.reason).toEqual(answer === 'allow' ? done : 'not-approved')
    }
  })

  it('asks about no other calls', async () => {
    const ask = approve({ ask: () => Promise.reject(new Error('nobody is there')), when: isAskedByRule })
    expect((await through(rules(set, { ask }), callOf())).result).toBe(done)
  })

  it('leaves the question to a later policy if configured', async () => {
    const asking = approve({ ask: () => 'deny', when: isAskedByRule })
    const both: Policy = {
      name: 'both',
      call: (call, next) =>
        rules(set, { ask: 'later' }).call?.(call, (passed) => asking.call?.(passed, next) ?? next(passed)) ?? next(call),
    }
    expect((await through(both, callOf({ arguments: { to: 'bob' } }))).refusal).toMatchObject({ reason: 'not-approved' })
    expect((await through(both, callOf())).result).toBe(done)
  })

  it('does not ask about calls beyond its limit', async () => {
    let questions = 0
    const ask = approve({ ask: () => (++questions > 0 ? 'allow' : 'deny'), when: isAskedByRule })
    const policy = rules({ rules: [{ name: 'seldom', decision: 'ask', limit: { calls: 1, per: 'day' } }] }, { ask })
    await through(policy, callOf())
    expect((await through(policy, callOf())).refusal).toMatchObject({ reason: 'rate-limited' })
    expect(questions).toBe(1)
  })
})

describe('a rule with a limit', () => {
  const set: RuleSet = {
    default: 'allow',
    rules: [{ name: 'mail', when: { tool: 'send*' }, decision: 'allow', limit: { calls: 2, per: 'hour' } }],
  }

  it('SECS-003 applies it to each caller, over all its tools, and says when to retry', async () => {
    const policy = rules(set)
    const [send, bulk, read] = ['send', 'send_all', 'read'].map((name) => toolOf({ listed: { name } }))
    const tell = async (tool: typeof send, caller = 'eve') => (await through(policy, callOf({ caller }, tool))).refusal
    expect([await tell(send), await tell(bulk)]).toEqual([undefined, undefined])
    expect(await tell(send)).toMatchObject({ reason: 'rate-limited', retryAfterMs: expect.closeTo(1_800_000, -3) })
    expect(await tell(bulk)).toMatchObject({ reason: 'rate-limited' })
    expect([await tell(read), await tell(send, 'ada')]).toEqual([undefined, undefined])
  })

  it('does not count the later rounds of a call', async () => {
    const policy = rules(set)
    const call = callOf()
    const continued = { ...call, context: Object.assign(Object.create(null), call.context, { continued: true }) }
    for (let round = 0; round < 5; round++) expect((await through(policy, continued)).refusal).toBeUndefined()
  })

  it('keeps its counts when the rules are reloaded', async () => {
    const source = { current: new Rulebook(set) }
    const policy = rules(source)
    for (let times = 0; times < 2; times++) await through(policy, callOf())
    source.current = new Rulebook({ ...set, rules: [{ name: 'first', when: { tool: 'x' }, decision: 'deny' }, ...set.rules] })
    expect((await through(policy, callOf())).refusal).toMatchObject({ reason: 'rate-limited' })
  })

  it('counts in a store, once per rule and caller', async () => {
    const taken: unknown[] = []
    const store: LimitStore = {
      async take(key, limit) {
        taken.push([key, limit])
        return taken.length > 1 ? 500 : 0
      },
    }
    const policy = rules(set, { store })
    expect((await through(policy, callOf())).result).toBe(done)
    expect((await through(policy, callOf())).refusal).toMatchObject({ reason: 'rate-limited', retryAfterMs: 500 })
    expect(taken).toEqual(Array(2).fill(['rule 4 maileve', { calls: 2, per: 'hour' }]))
  })
})

it('the judged call is made, even if the arguments change while the store is asked', async () => {
  const set: RuleSet = {
    default: 'deny',
    rules: [{ name: 'ada', when: { arguments: { to: 'ada' } }, decision: 'allow', limit: { calls: 1, per: 'day' } }],
  }
  const args = { to: 'ada' }
  const store: LimitStore = {
    async take() {
      await new Promise((resolve) => setTimeout(resolve, 5))
      args.to = 'bob'
      return 0
    },
  }
  const { sent } = await through(rules(set, { store }), callOf({ arguments: args, input: args }))
  expect(args).toEqual({ to: 'bob' })
  expect(sent.map(({ arguments: given, input }) => [given, input])).toEqual([[{ to: 'ada' }, { to: 'ada' }]])
})

it('arguments cannot change between the decision and the call', () => {
  const policy = rules({ default: 'deny', rules: [{ name: 'ada', when: { arguments: { to: 'ada' } }, decision: 'allow' }] })
  const sent: unknown[] = []
  const args = { to: 'ada' }
  const next = async ({ arguments: given }: ToolCall) => {
    sent.push({ ...given })
    return done
  }
  void policy.call?.(callOf({ arguments: args }), next)
  args.to = 'bob'
  expect(sent).toEqual([{ to: 'ada' }])
})

describe('a rule with a timeout', () => {
  const set = (ms: number): RuleSet => ({ rules: [{ name: 'quick', decision: 'allow', timeout: ms }] })
  const never = () => new Promise<never>(() => undefined)

  function aborting() {
    const aborted: unknown[] = []
    const call = callOf()
    const context = Object.assign(call.context, { abort: (reason: unknown) => void aborted.push(reason) })
    return { call: { ...call, context }, aborted }
  }

  it('ends a call after its timeout, and notifies the handler', async () => {
    vi.useFakeTimers()
    const { call, aborted } = aborting()
    const ended = expect(rules(set(300)).call?.(call, never)).rejects.toMatchObject({ reason: 'timed-out' })
    await vi.advanceTimersByTimeAsync(310)
    await ended
    expect(aborted).toHaveLength(1)
  })

  it('is paused while a person is asked, whatever other timers run', async () => {
    vi.useFakeTimers()
    const { call } = aborting()
    const inner = timeout({ idleMs: 60_000, totalMs: 60_000 })
    const slow = async (passed: ToolCall) => {
      passed.context.clock?.heard('asking')
      await new Promise((resolve) => setTimeout(resolve, 5_000))
      passed.context.clock?.heard('answered')
      return done
    }
    const ended = rules(set(300)).call?.(call, (passed) => inner.call?.(passed, slow) ?? never())
    await vi.advanceTimersByTimeAsync(5_001)
    expect(await ended).toBe(done)
  })

  it('passes the tool on unchanged', async () => {
    const { call } = aborting()
    const { sent } = await through(rules(set(300)), call)
    expect(sent[0]?.tool).toBe(call.tool)
  })
})

describe('a value that a rule keeps out of logs', () => {
  const set: RuleSet = {
    default: 'deny',
    redact: ['token'],
    rules: [
      { name: 'people', when: { tool: 'send' }, decision: 'allow', redact: ['/people/*/phone', '/card/number'] },
      { name: 'others', when: { tool: 'other' }, decision: 'allow', redact: ['to'] },
    ],
  }
  const args = {
    to: 'ada',
    token: 'hush',
    Token: 'hush too',
    people: [
      { name: 'Ada', phone: '1' },
      { name: 'Bob', phone: { home: '2' } },
    ],
    card: { number: [4, 2], kind: 'debit' },
  }

  it('SECS-006 is absent from the audit log, and the tool still receives it', async () => {
    const records: AuditRecord[] = []
    const policy = rules(set)
    const auditing = audit({ write: (record) => void records.push(record), redact: policy.redact })
    const both: Policy = { name: 'both', call: (call, next) => auditing.call!(call, (passed) => policy.call!(passed, next)) }
    const { sent } = await through(both, callOf({ arguments: args }))
    expect(sent[0]?.arguments).toEqual(args)
    const [intent] = records
    expect(intent).toMatchObject({
      kind: 'intent',
      arguments: {
        to: 'ada',
        token: '[secret removed: named-secret]',
        Token: '[secret removed: named-secret]',
        people: [
          { name: 'Ada', phone: '[redacted]' },
          { name: 'Bob', phone: '[redacted]' },
        ],
        card: { number: '[redacted]', kind: 'debit' },
      },
    })
    expect(JSON.stringify(records)).not.toMatch(/hush/)
  })
})
