import { afterEach, describe, expect, it, vi } from 'vitest'
import type { Json } from '../../../src/json.js'
import type { ApprovalAnswer, ApprovalRequest } from '../../../src/policy/approve/approval.js'
import type { ApproveOptions } from '../../../src/policy/approve/approve-options.js'
import { memoryGrants } from '../../../src/policy/approve/grants.js'
import { approve } from '../../../src/policy/approve/index.js'
import { SchemaCompiler } from '../../../src/schema/compiler/compiler.js'
import type { ToolCall } from '../../../src/tools/tool.js'
import { callOf, done, through, toolOf } from '../call.js'

afterEach(() => void vi.useRealTimers())

/** A policy with a scripted answer, which records the requests. */
function asking(answer: unknown, options: Partial<ApproveOptions> = {}) {
  const shown: ApprovalRequest[] = []
  const ask = (request: ApprovalRequest) => {
    shown.push(request)
    return (typeof answer === 'function' ? answer(request) : answer) as ApprovalAnswer // an approver may return anything
  }
  return { shown, policy: approve({ ask, ...options }) }
}

describe('the choice of calls', () => {
  it('SECC-001 TANN-001 UX-004 includes a tool without hints, which is assumed to be destructive', async () => {
    const { policy, shown } = asking('allow')
    expect((await through(policy, callOf())).result).toBe(done)
    expect(shown).toHaveLength(1)
    expect(shown[0]?.hints).toEqual({ readOnly: false, destructive: true, idempotent: false, openWorld: true })
  })

  it('TANN-002 excludes a read-only tool, whatever its other hints', async () => {
    const { policy, shown } = asking('deny')
    const call = callOf({ hints: { readOnly: true, destructive: true, idempotent: false } })
    expect((await through(policy, call)).result).toBe(done)
    expect(shown).toEqual([])
  })

  it('TANN-003 TANN-004 includes a tool that only claims to be read-only, and shows the claim as such', async () => {
    const { policy, shown } = asking('deny')
    const call = callOf({ listed: { annotations: { readOnlyHint: true, destructiveHint: false } } })
    expect((await through(policy, call)).refusal).toMatchObject({ reason: 'not-approved' })
    expect(shown[0]).toMatchObject({
      hints: { readOnly: false, destructive: true },
      claims: { readOnly: true, destructive: false },
    })
  })

  it('continues with the judged arguments, whatever changes afterwards', async () => {
    const { policy, shown } = asking('deny', { when: ({ arguments: { to } }) => to !== 'ada' })
    const given = { to: 'ada' }
    let sent: unknown
    const over = policy.call?.(callOf({ arguments: given }), async (call) => {
      sent = await new Promise((resolve) => setTimeout(() => resolve({ ...call.arguments }), 20))
      return done
    })
    given.to = 'eve'
    await over
    given.to = 'mallory'
    expect([sent, shown]).toEqual([{ to: 'ada' }, []])
  })

  it('yields to other work while long arguments are prepared', async () => {
    let turns = 0
    const { policy, shown } = asking('allow')
    const count = () => {
      turns++
      if (shown.length === 0) setImmediate(count)
    }
    const rows = Array.from({ length: 60_000 }, (_, at) => ({ b: 'x', a: String(at) }))
    const asked = through(policy, callOf({ arguments: { rows } }))
    setImmediate(count)
    expect((await asked).result).toBe(done)
    expect(turns).toBeGreaterThan(1)
    expect(JSON.parse(shown[0]?.display ?? '')).toEqual({ rows })
  })

  it('shows long arguments on one line, because indenting deep ones would multiply their size', async () => {
    const { policy, shown } = asking('allow')
    let list: Json[] = Array.from({ length: 60_000 }, () => 1)
    for (let depth = 0; depth < 60; depth++) list = [list]
    const hidden = '\u{e0041}\u200b'.repeat(50_000)
    for (const args of [{ list }, { to: 'ada', hidden }]) await through(policy, callOf({ arguments: args }))
    expect(shown.map(({ display }) => display)).toEqual([
      JSON.stringify({ list }),
      `{"to":"ada","hidden":"${'\\u{e0041}\\u{200b}'.repeat(50_000)}"}`,
    ])
  })

  it('ignores a hint that is not a boolean', async () => {
    const { policy, shown } = asking('deny')
    await through(policy, callOf({ hints: { readOnly: 'yes' as unknown as boolean } }))
    expect(shown).toHaveLength(1)
  })

  it('may be left to a condition, and the call is refused if the condition throws', async () => {
    const { policy, shown } = asking('deny', { when: ({ arguments: { to } }) => to === 'all' })
    expect((await through(policy, callOf())).result).toBe(done)
    expect((await through(policy, callOf({ arguments: { to: 'all' } }))).refusal).toMatchObject({ reason: 'not-approved' })
    expect(shown).toHaveLength(1)
    const broken = asking('allow', { when: () => JSON.parse('{') })
    const { refusal, sent } = await through(broken.policy, callOf())
    expect(refusal).toMatchObject({ reason: 'not-approved' })
    expect(sent).toEqual([])
  })
})

describe('the request', () => {
  it('SECC-002 shows the complete arguments, with hidden characters escaped', async () => {
    const { policy, shown } = asking('allow')
    const hidden = 'pay\u202eyap\u200b\u001b[31m\u009b\u{e0041}\ud800\u00a0"\\u{202e}"'
    await through(policy, callOf({ arguments: { text: hidden, deep: [{ a: 1 }] } }))
    const display = shown[0]?.display ?? ''
    expect(display).toBe(
      [
        '{',
        '  "text": "pay\\u{202e}yap\\u{200b}\\u001b[31m\\u{9b}\\u{e0041}\\ud800\\u{a0}\\"\\\\u{202e}\\"",',
        '  "deep": [\n    {\n      "a": 1\n    }\n  ]',
        '}',
      ].join('\n'),
    )
    expect(display).toMatch(/^[\n -~]*$/)
  })

  it('shows the description of the tool without hidden characters', async () => {
    const { policy, shown } = asking('allow')
    await through(policy, callOf({ listed: { title: 'Se\u200bnd', description: 'A\u{e0041}B\nC' } }))
    expect(shown[0]?.tool).toMatchObject({ title: 'Se\\u{200b}nd', description: 'A\\u{e0041}B\nC' })
    expect(shown[0]?.tool.definitionHash).toMatch(/^sha256:[0-9a-f]{64}$/)
    expect(shown[0]).toMatchObject({ server: 'mail', caller: 'eve' })
  })

  it('leads to a call with exactly the shown arguments, whatever changes meanwhile', async () => {
    const given = { to: 'ada', list: [{ n: 1 }] }
    const { policy, shown } = asking((request: ApprovalRequest) => {
      given.to = 'mallory'
      given.list.push({ n: 2 })
      expect(() => Object.assign(request.arguments, { to: 'mallory' })).toThrow(TypeError)
      expect(() => (request.arguments.list as unknown[]).push(2)).toThrow(TypeError)
      return 'allow'
    })
    const { sent } = await through(policy, callOf({ arguments: given }))
    expect(sent[0]?.arguments).toBe(shown[0]?.arguments)
    expect(sent[0]?.arguments).toEqual({ to: 'ada', list: [{ n: 1 }] })
  })

  it('leads to a handler input that is parsed again from the shown arguments', async () => {
    const input = { to: 'ada' }
    const { policy } = asking(() => {
      input.to = 'mallory'
      return 'allow'
    })
    const { sent } = await through(policy, callOf({ arguments: { to: 'ada' }, input }))
    expect(sent[0]?.input).toEqual({ to: 'ada' })
  })

  it('is refused if the arguments have no JSON form', async () => {
    const loop: Record<string, never> = {}
    Object.assign(loop, { loop })
    const { refusal, sent } = await through(asking('allow').policy, callOf({ arguments: loop }))
    expect(refusal).toMatchObject({ reason: 'invalid-arguments' })
    expect(sent).toEqual([])
  })
})

describe('an answer', () => {
  it.each(['allow', { allow: true }, Promise.resolve('allow')])('UX-005 of %o lets the call continue', async (answer) => {
    expect((await through(asking(answer).policy, callOf())).result).toBe(done)
  })

  const rubbish = [
    undefined,
    null,
    true,
    1,
    'Allow',
    'yes',
    '',
    [],
    {},
    ['allow'],
    { allow: 'true' },
    { allow: 1 },
    () => 'allow',
  ]
  const broken = [
    { allow: true, deny: 'no' },
    { allow: true, deny: undefined },
    { allow: true, always: true },
  ]
  const limitless = [{ forMs: Number.NaN }, { forMs: -1 }, { forMs: 1, arguments: 'any' }, { forMs: 1, arguments: { type: 7 } }]
  it.each([
    ...rubbish,
    ...broken,
    ...limitless.map((always) => ({ allow: true, always })),
  ])('UX-001 of %o is a denial, and nothing is sent', async (answer) => {
    const { refusal, sent } = await through(asking(() => answer, { remember: memoryGrants() }).policy, callOf())
    expect(refusal).toMatchObject({ reason: 'not-approved' })
    expect(sent).toEqual([])
  })

  it('UX-001 UX-007 that denies is passed to the model with its reason', async () => {
    const { refusal, sent } = await through(asking({ deny: 'wrong\u202e person' }).policy, callOf())
    expect(refusal?.reason).toBe('not-approved')
    expect(refusal?.message).toContain('denied: wrong\\u{202e} person')
    expect(sent).toEqual([])
  })

  it.each([
    () => {
      throw new Error('no screen')
    },
    async () => {
      throw null
    },
    () => Object.defineProperty({}, 'allow', { get: () => JSON.parse('{') }),
  ])('is a denial if the approver fails', async (answer) => {
    const { refusal, sent } = await through(asking(answer).policy, callOf())
    expect(refusal).toMatchObject({ reason: 'not-approved', name: 'Refusal' })
    expect(sent).toEqual([])
  })

  it('holds for one call, and not for a later identical one', async () => {
    const { policy, shown } = asking('allow')
    const call = callOf()
    for (let n = 0; n < 3; n++) await through(policy, call)
    expect(new Set(shown.map(({ id }) => id)).size).toBe(3)
  })
})

describe('the time for an answer', () => {
  it('ends after five minutes with a denial, and a later approval has no effect', async () => {
    vi.useFakeTimers()
    const remember = memoryGrants()
    let say: (answer: ApprovalAnswer) => void = () => undefined
    const { policy, shown } = asking(() => new Promise((resolve) => (say = resolve)), { remember })
    const outcome = through(policy, callOf())
    await vi.waitFor(() => expect(shown).toHaveLength(1), 60_000)
    expect(shown[0]?.expiresAt).toBeLessThanOrEqual(Date.now() + 300_000)
    await vi.advanceTimersByTimeAsync(299_000)
    expect(shown[0]?.signal.aborted).toBe(false)
    await vi.advanceTimersByTimeAsync(2_000)
    const { refusal, sent } = await outcome
    expect(refusal).toMatchObject({ reason: 'not-approved' })
    expect(shown[0]?.signal.aborted).toBe(true)
    say({ allow: true, always: { forMs: 60_000 } })
    await vi.advanceTimersByTimeAsync(10)
    expect(sent).toEqual([])
    expect(await remember.list()).toEqual([])
  })

  it('ends when the call is cancelled', async () => {
    const controller = new AbortController()
    const { policy, shown } = asking(() => new Promise(() => undefined))
    const outcome = through(policy, callOf({ signal: controller.signal }))
    await vi.waitFor(() => expect(shown).toHaveLength(1), 60_000)
    controller.abort(new Error('given up'))
    expect((await outcome).refusal?.message).toBe('given up')
    expect(shown[0]?.signal.aborted).toBe(true)
  })

  it('does not begin for a call that was cancelled before', async () => {
    const { policy, shown } = asking('allow')
    const { sent } = await through(policy, callOf({ signal: AbortSignal.abort() }))
    expect([sent, shown]).toEqual([[], []])
  })

  it('ends without a call if it is cancelled at the moment of approval', async () => {
    const controller = new AbortController()
    const { policy } = asking(() => {
      controller.abort()
      return 'allow'
    })
    expect((await through(policy, callOf({ signal: controller.signal }))).sent).toEqual([])
  })

  it('is granted to a hundred pending calls of one caller, and to those of others', async () => {
    const answers: ((answer: ApprovalAnswer) => void)[] = []
    const { policy, shown } = asking(() => new Promise((resolve) => answers.push(resolve)))
    const waiting = Array.from({ length: 100 }, () => through(policy, callOf()))
    await vi.waitFor(() => expect(shown).toHaveLength(100), 60_000)
    expect((await through(policy, callOf())).refusal).toMatchObject({ reason: 'busy' })
    const other = through(policy, callOf({ caller: 'bob' }))
    await vi.waitFor(() => expect(shown).toHaveLength(101), 60_000)
    for (const answer of answers) answer('deny')
    await Promise.all([...waiting, other])
    const { policy: again } = { policy }
    const next = through(again, callOf())
    await vi.waitFor(() => expect(shown).toHaveLength(102), 60_000)
    answers.at(-1)?.('allow')
    expect((await next).result).toBe(done)
  })
})

describe('a permanent grant', () => {
  const forMs = 3_600_000
  const always = (more: object = {}, remember = memoryGrants()) =>
    asking({ allow: true, always: { forMs, ...more } }, { remember })

  it('covers the same caller, server and tool', async () => {
    const { policy, shown } = always()
    for (const to of ['ada', 'bob']) expect((await through(policy, callOf({ arguments: { to } }))).result).toBe(done)
    expect(shown).toHaveLength(1)
  })

  it.each([{ caller: 'bob' }, { server: 'other' }, { listed: { name: 'delete' } }])('does not cover %o', async (given) => {
    const { policy, shown } = always()
    await through(policy, callOf())
    await through(policy, callOf(given))
    expect(shown).toHaveLength(2)
  })

  it('CHG-005 is void when the definition has changed by a character, even if it changes back', async () => {
    const { policy, shown } = always()
    await through(policy, callOf())
    await through(policy, callOf({ listed: { description: 'Sends!' } }))
    expect(shown).toHaveLength(2)
    await through(policy, callOf())
    expect(shown).toHaveLength(3)
  })

  it('covers only arguments that satisfy its constraint', async () => {
    const constraint = { properties: { to: { const: 'ada' } }, required: ['to'] }
    const { policy, shown } = always({ arguments: constraint })
    for (const to of ['ada', 'ada', 'bob']) await through(policy, callOf({ arguments: { to } }))
    expect(shown.map((request) => request.arguments)).toEqual([{ to: 'ada' }, { to: 'bob' }])
  })

  it('has its constraint compiled once, even if the store returns copies', async () => {
    const kept = memoryGrants()
    const { policy, shown } = always(
      { arguments: { properties: { to: { const: 'ada' } }, title: 'once' } },
      { ...kept, list: async () => structuredClone(await kept.list()) },
    )
    const call = () => through(policy, callOf({ arguments: { to: 'ada' } }))
    for (let n = 0; n < 2; n++) await call()
    const compile = vi.spyOn(SchemaCompiler.prototype, 'compile')
    for (let n = 0; n < 3; n++) expect((await call()).result).toBe(done)
    expect([compile.mock.calls.length, shown.length]).toEqual([0, 1])
    compile.mockRestore()
  })

  it('expires after at most eight hours, and can be listed and revoked', async () => {
    const remember = memoryGrants()
    const { policy, shown } = asking({ allow: true, always: { forMs: 1e12 } }, { remember })
    await through(policy, callOf())
    const [grant] = await remember.list()
    expect(grant).toMatchObject({ caller: 'eve', server: 'mail', tool: 'send' })
    expect(grant?.expiresAt).toBeLessThanOrEqual(Date.now() + 28_800_000)
    await remember.revoke(grant?.id ?? '')
    await through(policy, callOf())
    expect(shown).toHaveLength(2)
  })

  it('expires on time even if the clock is set back', async () => {
    vi.useFakeTimers({ toFake: ['Date'] })
    const clock = { now: 0 }
    const { policy, shown } = asking({ allow: true, always: { forMs } }, { remember: memoryGrants(() => clock.now) })
    await through(policy, callOf())
    vi.setSystemTime(Date.now() - 86_400_000)
    clock.now += forMs
    await through(policy, callOf())
    expect(shown).toHaveLength(2)
  })

  it('holds for one call if there is no grant store', async () => {
    const { policy, shown } = asking({ allow: true, always: { forMs } })
    for (let n = 0; n < 2; n++) await through(policy, callOf())
    expect(shown).toHaveLength(2)
  })

  it('is not used, and the call is refused, if the grant store fails', async () => {
    const remember = { ...memoryGrants(), list: () => Promise.reject(new Error('gone')) }
    const { refusal, sent } = await through(asking('allow', { remember }).policy, callOf())
    expect(refusal).toMatchObject({ reason: 'not-approved' })
    expect(sent).toEqual([])
  })
})

it('the timeout of the call is paused while a person is asked', async () => {
  const clockEvents: string[] = []
  const call = callOf({}, toolOf())
  const context = {
    ...call.context,
    clock: { heard: (what: string) => clockEvents.push(what) },
  } as unknown as ToolCall['context']
  await through(asking('allow').policy, { ...call, context })
  expect(clockEvents).toEqual(['asking', 'answered'])
})
