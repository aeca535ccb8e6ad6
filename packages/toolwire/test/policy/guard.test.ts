// The policies around every call: their order, and the defaults of a server and a client.
import { Refusal, type ServerOptions, server, tool } from 'toolwire'
import { connect } from 'toolwire/client'
import {
  type ApprovalRequest,
  type AuditLog,
  audit,
  findingsOf,
  guard,
  type LimitStore,
  type MemoryAuditLog,
  memoryAudit,
  type Policy,
  pin,
  sanitize,
} from 'toolwire/guard'
import { observe } from 'toolwire/observe'
import { defineRules, Rulebook, rules } from 'toolwire/rules'
import { harness } from 'toolwire/testing'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { z } from 'zod'
import type { GuardOptions } from '../../src/policy/guard.js'
import type { ToolSet } from '../../src/server/options.js'
import '../reported-faults.js'
import { callOf, through, toolOf } from './call.js'

const names = (policies: readonly Policy[]) => policies.map(({ name }) => name)
const own: Policy = { name: 'own' }
const usual = ['audit', 'access', 'rate-limit', 'validate', 'timeout', 'sanitize']

describe('the order of policies', () => {
  it('includes only the necessary policies by default', () => {
    expect(names(guard())).toEqual(usual)
  })

  it('hides before it reveals anything, refuses cheaply before it asks, and asks last', () => {
    const all: GuardOptions = {
      sanitize: {},
      concurrency: {},
      timeout: { idleMs: 1_000, totalMs: 5_000 },
      approve: { ask: () => 'allow' },
      rules: rules({ rules: [] }),
      pin: pin(),
      rateLimit: {},
      audit: { log: memoryAudit() },
      observe: observe(),
    }
    expect(names(guard(all, [own]))).toEqual([
      ...['observe', 'audit', 'own', 'access', 'rate-limit', 'pin', 'rules', 'validate', 'approve'],
      ...['timeout', 'concurrency', 'sanitize'],
    ])
  })

  it.each(['audit', 'access', 'timeout', 'sanitize'] as const)('lacks %s only if it is disabled', (name) => {
    expect(names(guard({ [name]: false }))).toEqual(usual.filter((one) => one !== name))
  })

  it('passes arguments unchanged if validation is disabled', async () => {
    const policies = guard({ validate: false })
    expect(names(policies)).toEqual(usual.map((name) => (name === 'validate' ? 'as-given' : name)))
    const asGiven = policies.find(({ name }) => name === 'as-given') as Policy // found above
    const { sent } = await through(asGiven, callOf({ arguments: { to: 7 } }))
    expect(sent[0]?.input).toEqual({ to: 7 })
  })

  it('applies the limit of a tool even if there is no other', () => {
    const [limiting] = guard({ rateLimit: false }).filter(({ name }) => name === 'rate-limit')
    const limited = { ...toolOf(), definition: { run: () => '', limit: { calls: 1, per: 'day' } as const } }
    expect([limiting?.applies?.(toolOf()), limiting?.applies?.(limited)]).toEqual([false, true])
  })
})

/** A limit store that records its calls. */
function counting(answer = 0) {
  const taken: { key: string; limit: object }[] = []
  const store: LimitStore = {
    take(key, limit) {
      taken.push({ key, limit })
      return answer
    },
  }
  return { taken, store }
}

const greedy: unknown[] = []
const terminal = 'Paid\u001b[8m to mallory\u001b[0m AKIAQ3EGRTN5VZ7PLM2X'
const cleanText = 'Paid to mallory AKIAQ3EGRTN5VZ7PLM2X'
const pay = tool({
  description: 'Pays',
  input: z.object({ sum: z.number() }),
  run: (input) => {
    greedy.push(input)
    return terminal
  },
})
const wipe = tool({ description: 'Wipes', scopes: ['admin'], run: () => 'wiped' })
const hang = tool({ description: 'Hangs', run: () => new Promise<never>(() => {}) })
const bank = (options: Partial<ServerOptions<ToolSet>> = {}) =>
  server({ name: 'bank', version: '1', tools: { pay, wipe, hang }, ...options })
const ada = { caller: { id: 'ada', scopes: [] } }
const texts = ({ content }: { content: readonly object[] }) => content.map((block) => ('text' in block ? block.text : undefined))
/** By default, a server or a client has an audit log in memory. */
const recordsOf = (log: AuditLog | undefined) => (log as MemoryAuditLog).lines().map((line) => JSON.parse(line))

afterEach(() => {
  greedy.splice(0)
  vi.useRealTimers()
})

describe('a server with default options', () => {
  it('SECS-001 passes no invalid arguments to a handler', async () => {
    await using t = await harness(bank(), ada)
    expect(await t.call('pay', { sum: 'all' })).toMatchObject({ isError: true })
    expect(greedy).toEqual([])
    await using careless = await harness(bank({ guard: { validate: false } }), ada)
    await careless.call('pay', { sum: 'all' })
    expect(greedy).toEqual([{ sum: 'all' }])
  })

  it('passes approved arguments to a handler unchanged if validation is disabled', async () => {
    await using t = await harness(bank({ guard: { validate: false, approve: { ask: () => 'allow' } } }), ada)
    expect(await t.call('pay', { sum: 'all' })).toMatchObject({ isError: false })
    expect(greedy).toEqual([{ sum: 'all' }])
  })

  it('SECS-002 hides tools that a caller may not use, and answers a call to one as if it did not exist', async () => {
    await using t = await harness(bank(), ada)
    expect((await t.request('tools/list')).tools).toMatchObject([{ name: 'pay' }, { name: 'hang' }])
    const hidden = await t.call('wipe').catch(String)
    expect(hidden).toBe(String(await t.call('wide').catch(String)).replace('wide', 'wipe'))
    await using open = await harness(bank({ guard: { access: false } }), ada)
    expect(texts(await open.call('wipe'))).toEqual(['wiped'])
  })

  it('SECS-003 limits the calls of each caller, and refuses further ones', async () => {
    const { taken, store } = counting()
    const app = bank({ limitStore: store })
    await using t = await harness(app, ada)
    await using stranger = await harness(app, { caller: { id: 'anonymous', scopes: [], anonymous: true } })
    await t.call('pay', { sum: 1 })
    await stranger.call('pay', { sum: 1 })
    expect(taken.map(({ limit }) => limit)).toEqual([
      { calls: 3_000, per: 'minute' },
      { calls: 30_000, per: 'minute', burst: 30_000 },
    ])
    await using flooding = await harness(bank({ limitStore: counting(30_000).store }), ada)
    const refused = await flooding.call('pay', { sum: 1 })
    expect(texts(refused)[0]).toMatch(/^pay has been called too often .* try again in 30 s$/)
    expect(greedy).toHaveLength(2)
  })

  it('SECS-003 counts nothing if rate limits are disabled', async () => {
    const { taken, store } = counting(30_000)
    await using t = await harness(bank({ limitStore: store, guard: { rateLimit: false } }), ada)
    expect(await t.call('pay', { sum: 1 })).toMatchObject({ isError: false })
    expect(taken).toEqual([])
  })

  it('SECS-003 applies a smaller configured limit', async () => {
    const rateLimit = { tool: { calls: 2, per: 'hour' } } as const
    await using t = await harness(bank({ guard: { rateLimit } }), ada)
    const all = [await t.call('pay', { sum: 1 }), await t.call('pay', { sum: 2 }), await t.call('pay', { sum: 3 })]
    expect(all.map(({ isError }) => isError)).toEqual([false, false, true])
  })

  it('SECS-004 SECS-005 removes invisible characters from results, and reports possible secrets', async () => {
    await using t = await harness(bank(), ada)
    const result = await t.call('pay', { sum: 1 })
    expect(texts(result)).toEqual([cleanText])
    expect(findingsOf(result)).toMatchObject([
      { rule: 'terminal', action: 'strip' },
      { rule: 'secrets', action: 'flag', count: 1 },
    ])
    await using raw = await harness(bank({ guard: { sanitize: false } }), ada)
    expect(texts(await raw.call('pay', { sum: 1 }))).toEqual([terminal])
  })

  it('SECS-006 records the caller, the tool, the outcome and the duration of each call, without values', async () => {
    const app = bank()
    await using t = await harness(app, ada)
    await t.call('pay', { sum: 4_111_111_111_111_111 })
    await t.call('wipe').catch(String)
    const records = recordsOf(app.audit)
    expect(records).toMatchObject([
      { kind: 'intent', caller: 'ada', tool: 'pay' },
      { kind: 'outcome', caller: 'ada', tool: 'pay', outcome: 'ok', durationMs: expect.any(Number) },
      { kind: 'intent', caller: 'ada', tool: 'wipe' },
      { kind: 'outcome', caller: 'ada', tool: 'wipe', outcome: 'refused', reason: 'unknown-tool' },
    ])
    expect(JSON.stringify(records)).not.toContain('4111111111111111')
    expect(bank({ guard: { audit: false } }).audit).toBeUndefined()
  })

  it('ends a call without activity after a minute', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] })
    await using t = await harness(bank(), ada)
    const call = t.call('hang')
    await vi.advanceTimersByTimeAsync(60_001)
    expect(await call).toMatchObject({ isError: true })
  })
})

const guarded = { audit: false, access: false, rateLimit: false, timeout: false, validate: false, sanitize: false } as const
/** A server with all policies disabled. */
const careless = () => bank({ guard: guarded })

describe('a client with default options', () => {
  it('SECC-004 records its calls and their outcome, without values', async () => {
    await using client = await connect(careless(), { name: 'the bank' })
    await client.call('pay', { sum: 4_111_111_111_111_111 })
    const records = recordsOf(client.audit)
    expect(records).toMatchObject([
      { kind: 'intent', server: 'the bank', tool: 'pay' },
      { kind: 'outcome', server: 'the bank', tool: 'pay', decision: 'allowed', outcome: 'ok' },
    ])
    expect(JSON.stringify(records)).not.toContain('4111111111111111')
    await using silent = await connect(careless(), { guard: { audit: false } })
    expect(silent.audit).toBeUndefined()
  })

  it('SECC-003 cleans results', async () => {
    await using client = await connect(careless())
    expect(texts(await client.call('pay', { sum: 1 }))).toEqual([cleanText])
    await using raw = await connect(careless(), { guard: { sanitize: false } })
    expect(texts(await raw.call('pay', { sum: 1 }))).toEqual([terminal])
  })

  it('limits its calls, and does not send further ones', async () => {
    const { taken, store } = counting()
    await using client = await connect(careless(), { guard: { rateLimit: { store } } })
    await client.call('pay', { sum: 1 })
    expect(taken).toMatchObject([{ limit: { calls: 1_000_000, per: 'minute', burst: 100_000 } }])
    await using flooding = await connect(careless(), { guard: { rateLimit: { store: counting(30_000).store } } })
    await expect(flooding.call('pay', { sum: 1 })).rejects.toMatchObject({ reason: 'rate-limited' })
    expect(greedy).toHaveLength(1)
  })
})

describe('custom policies', () => {
  it('replace the default audit log', async () => {
    const log = memoryAudit()
    const app = bank({ policies: [audit({ log })] })
    await using t = await harness(app, ada)
    await t.call('pay', { sum: 1 })
    expect([app.audit, log.lines().length]).toEqual([undefined, 2])
    const its = memoryAudit()
    await using client = await connect(careless(), { policies: [audit({ log: its })] })
    await client.call('pay', { sum: 1 })
    expect([client.audit, its.lines().length]).toEqual([undefined, 2])
  })

  it('record in addition to a configured log', async () => {
    const [log, second] = [memoryAudit(), memoryAudit()]
    const app = bank({ guard: { audit: { log } }, policies: [audit({ log: second })] })
    await using t = await harness(app, ada)
    await t.call('pay', { sum: 1 })
    expect([app.audit === log, log.lines().length, second.lines().length]).toEqual([true, 2, 2])
  })

  it('replace the default sanitizing', async () => {
    const lenient = () => sanitize({ rules: { terminal: 'flag' } })
    await using t = await harness(bank({ policies: [lenient()] }), ada)
    expect(texts(await t.call('pay', { sum: 1 }))).toEqual([terminal])
    await using client = await connect(careless(), { policies: [lenient()] })
    expect(texts(await client.call('pay', { sum: 1 }))).toEqual([terminal])
  })

  it('are recorded when they refuse', async () => {
    const strict: Policy = { name: 'strict', call: () => Promise.reject(new Refusal('not-approved', 'No')) }
    const app = bank({ policies: [strict] })
    await using t = await harness(app, ada)
    await t.call('pay', { sum: 1 })
    expect(recordsOf(app.audit)).toMatchObject([
      { kind: 'intent' },
      { kind: 'outcome', outcome: 'refused', reason: 'not-approved' },
    ])
    expect(greedy).toEqual([])
  })
})

const large = defineRules({
  default: 'allow',
  rules: [{ name: 'large', when: { tool: 'pay', arguments: { sum: { minimum: 100 } } }, decision: 'ask' }],
})

/** A bank that asks for approval by its rules, and records the requests. */
function asking(source: Parameters<typeof rules>[0], answer: () => 'allow' | 'deny') {
  const asked: ApprovalRequest[] = []
  const approve = {
    ask: (request: ApprovalRequest) => {
      asked.push(request)
      return answer()
    },
  }
  return { asked, app: bank({ guard: { rules: rules(source), approve } }) }
}

describe('a person who approves by rules', () => {
  it('SECC-001 UX-004 is asked about the calls that a rule selects, and about no others', async () => {
    const { asked, app } = asking(large, () => 'allow')
    await using t = await harness(app, ada)
    await t.call('pay', { sum: 5 })
    expect(asked).toEqual([])
    await t.call('pay', { sum: 500 })
    expect(asked).toMatchObject([{ caller: 'ada', tool: { name: 'pay' }, arguments: { sum: 500 } }])
    expect(greedy).toEqual([{ sum: 5 }, { sum: 500 }])
  })

  it('SECC-001 UX-004 is asked, without rules, about all calls that may change something', async () => {
    const asked: string[] = []
    const ask = ({ tool: { name } }: ApprovalRequest) => {
      asked.push(name)
      return 'deny' as const
    }
    const look = tool({ description: 'Looks', hints: { readOnly: true }, run: () => 'seen' })
    await using t = await harness(bank({ tools: { pay, look }, guard: { approve: { ask } } }), ada)
    await t.call('look')
    await t.call('pay', { sum: 1 })
    expect([asked, greedy]).toEqual([['pay'], []])
  })

  it('is not asked about invalid arguments, nor about calls that a rule denies', async () => {
    const eve = { name: 'not eve', when: { caller: 'eve' }, decision: 'deny' } as const
    const { asked, app } = asking({ rules: [eve, { name: 'all', decision: 'ask' }] }, () => 'allow')
    await using t = await harness(app, ada)
    expect(await t.call('pay', { sum: 'all' })).toMatchObject({ isError: true })
    await using hers = await harness(app, { caller: { id: 'eve', scopes: [] } })
    await expect(hers.call('pay', { sum: 1 })).rejects.toThrow('Unknown tool: pay')
    expect([asked, greedy]).toEqual([[], []])
  })

  it('UX-001 can deny a call, which is then not made', async () => {
    const { app } = asking(large, () => 'deny')
    await using t = await harness(app, ada)
    expect(await t.call('pay', { sum: 500 })).toMatchObject({ isError: true })
    expect(greedy).toEqual([])
  })

  it('UX-005 cannot approve by rules that have changed meanwhile', async () => {
    const source = { current: new Rulebook(large) }
    const { asked, app } = asking(source, () => {
      source.current = new Rulebook({ ...large, rules: [] })
      return 'allow'
    })
    await using t = await harness(app, ada)
    expect(texts(await t.call('pay', { sum: 500 }))[0]).toMatch(/changed, so it was not made/)
    expect(asked[0]?.policyVersion).toBe(new Rulebook(large).version)
    expect(greedy).toEqual([])
  })

  it('UX-004 is asked in the same way in a client', async () => {
    const asked: ApprovalRequest[] = []
    const approve = {
      ask: (request: ApprovalRequest) => {
        asked.push(request)
        return 'deny' as const
      },
    }
    await using client = await connect(careless(), { name: 'the bank', guard: { rules: rules(large), approve } })
    await client.call('pay', { sum: 5 })
    await expect(client.call('pay', { sum: 500 })).rejects.toMatchObject({ reason: 'not-approved' })
    expect(asked).toMatchObject([{ server: 'the bank', arguments: { sum: 500 } }])
    expect(greedy).toEqual([{ sum: 5 }])
  })
})
