import { afterEach, describe, expect, it, vi } from 'vitest'
import type { Json } from '../../../src/json.js'
import type { ApprovalAnswer, ApprovalRequest } from '../../../src/policy/approve/approval.js'
import { memoryGrants } from '../../../src/policy/approve/grants.js'
import { type ApproveOptions, approve } from '../../../src/policy/approve/index.js'
import { SchemaCompiler } from '../../../src/schema/compiler/compiler.js'
import type { ToolCall } from '../../../src/tools/tool.js'
import { callOf, done, through, toolOf } from '../call.js'

afterEach(() => void vi.useRealTimers())

/** A policy whose person gives this answer, and what they were shown. */
function asking(answer: unknown, options: Partial<ApproveOptions> = {}) {
  const shown: ApprovalRequest[] = []
  const ask = (request: ApprovalRequest) => {
    shown.push(request)
    return (typeof answer === 'function' ? answer(request) : answer) as ApprovalAnswer // people may answer anything
  }
  return { shown, policy: approve({ ask, ...options }) }
}

describe('which calls are asked about', () => {
  it('SECC-001 TANN-001 UX-004 asks before a tool of which nothing is known, taking it for the worst', async () => {
    const { policy, shown } = asking('allow')
    expect((await through(policy, callOf())).result).toBe(done)
    expect(shown).toHaveLength(1)
    expect(shown[0]?.hints).toEqual({ readOnly: false, destructive: true, idempotent: false, openWorld: true })
  })

  it('TANN-002 does not ask about a read-only tool, whatever else is said about it', async () => {
    const { policy, shown } = asking('deny')
    const call = callOf({ hints: { readOnly: true, destructive: true, idempotent: false } })
    expect((await through(policy, call)).result).toBe(done)
    expect(shown).toEqual([])
  })

  it('TANN-003 TANN-004 asks when a tool only claims to be read-only, and shows the claim as a claim', async () => {
    const { policy, shown } = asking('deny')
    const call = callOf({ listed: { annotations: { readOnlyHint: true, destructiveHint: false } } })
    expect((await through(policy, call)).refusal).toMatchObject({ reason: 'not-approved' })
    expect(shown[0]).toMatchObject({
      hints: { readOnly: false, destructive: true },
      claims: { readOnly: true, destructive: false },
    })
  })

  it('lets go on what was judged by its arguments, and nothing that it becomes afterwards', async () => {
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

  it('lets others have their turns while long arguments are prepared', async () => {
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

  it('shows long arguments on one line, because deep ones would take many times their size', async () => {
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

  it('takes a hint that is no boolean for none', async () => {
    const { policy, shown } = asking('deny')
    await through(policy, callOf({ hints: { readOnly: 'yes' as unknown as boolean } }))
    expect(shown).toHaveLength(1)
  })

  it('leaves it to a condition, and refuses when that fails', async () => {
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

describe('what is shown', () => {
  it('SECC-002 shows the whole arguments, with everything hidden written out', async () => {
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

  it('shows what the server says about the tool with nothing hidden in it', async () => {
    const { policy, shown } = asking('allow')
    await through(policy, callOf({ listed: { title: 'Se\u200bnd', description: 'A\u{e0041}B\nC' } }))
    expect(shown[0]?.tool).toMatchObject({ title: 'Se\\u{200b}nd', description: 'A\\u{e0041}B\nC' })
    expect(shown[0]?.tool.definitionHash).toMatch(/^sha256:[0-9a-f]{64}$/)
    expect(shown[0]).toMatchObject({ server: 'mail', caller: 'eve' })
  })

  it('sends the very copy that was shown, whatever is done to the arguments meanwhile', async () => {
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

  it('makes the input of a handler anew from what was shown', async () => {
    const input = { to: 'ada' }
    const { policy } = asking(() => {
      input.to = 'mallory'
      return 'allow'
    })
    const { sent } = await through(policy, callOf({ arguments: { to: 'ada' }, input }))
    expect(sent[0]?.input).toEqual({ to: 'ada' })
  })

  it('refuses arguments that JSON cannot say', async () => {
    const loop: Record<string, never> = {}
    Object.assign(loop, { loop })
    const { refusal, sent } = await through(asking('allow').policy, callOf({ arguments: loop }))
    expect(refusal).toMatchObject({ reason: 'invalid-arguments' })
    expect(sent).toEqual([])
  })
})

describe('answers', () => {
  it.each(['allow', { allow: true }, Promise.resolve('allow')])('UX-005 goes on after %o', async (answer) => {
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
  ])('UX-001 takes %o for a no, and nothing is sent', async (answer) => {
    const { refusal, sent } = await through(asking(() => answer, { remember: memoryGrants() }).policy, callOf())
    expect(refusal).toMatchObject({ reason: 'not-approved' })
    expect(sent).toEqual([])
  })

  it('UX-001 UX-007 tells the model that it was denied, and why', async () => {
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
  ])('takes a hook that fails for a no', async (answer) => {
    const { refusal, sent } = await through(asking(answer).policy, callOf())
    expect(refusal).toMatchObject({ reason: 'not-approved', name: 'Refusal' })
    expect(sent).toEqual([])
  })

  it('asks again for the next call, even for the same one', async () => {
    const { policy, shown } = asking('allow')
    const call = callOf()
    for (let n = 0; n < 3; n++) await through(policy, call)
    expect(new Set(shown.map(({ id }) => id)).size).toBe(3)
  })
})

describe('time', () => {
  it('takes five minutes of silence for a no, and a yes after that has no effect', async () => {
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

  it('stops asking when the call is given up', async () => {
    const controller = new AbortController()
    const { policy, shown } = asking(() => new Promise(() => undefined))
    const outcome = through(policy, callOf({ signal: controller.signal }))
    await vi.waitFor(() => expect(shown).toHaveLength(1), 60_000)
    controller.abort(new Error('given up'))
    expect((await outcome).refusal?.message).toBe('given up')
    expect(shown[0]?.signal.aborted).toBe(true)
  })

  it('does not ask about a call that was given up before', async () => {
    const { policy, shown } = asking('allow')
    const { sent } = await through(policy, callOf({ signal: AbortSignal.abort() }))
    expect([sent, shown]).toEqual([[], []])
  })

  it('sends nothing when the call is given up in the same moment as it is allowed', async () => {
    const controller = new AbortController()
    const { policy } = asking(() => {
      controller.abort()
      return 'allow'
    })
    expect((await through(policy, callOf({ signal: controller.signal }))).sent).toEqual([])
  })

  it('lets a hundred calls of one caller wait, and those of others too', async () => {
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

describe('always', () => {
  const forMs = 3_600_000
  const always = (more: object = {}, remember = memoryGrants()) =>
    asking({ allow: true, always: { forMs, ...more } }, { remember })

  it('asks once, and not again for the same caller, server and tool', async () => {
    const { policy, shown } = always()
    for (const to of ['ada', 'bob']) expect((await through(policy, callOf({ arguments: { to } }))).result).toBe(done)
    expect(shown).toHaveLength(1)
  })

  it.each([{ caller: 'bob' }, { server: 'other' }, { listed: { name: 'delete' } }])('asks again for %o', async (given) => {
    const { policy, shown } = always()
    await through(policy, callOf())
    await through(policy, callOf(given))
    expect(shown).toHaveLength(2)
  })

  it('CHG-005 asks again when the definition has changed by a character, and when it changes back', async () => {
    const { policy, shown } = always()
    await through(policy, callOf())
    await through(policy, callOf({ listed: { description: 'Sends!' } }))
    expect(shown).toHaveLength(2)
    await through(policy, callOf())
    expect(shown).toHaveLength(3)
  })

  it('holds only for arguments that satisfy the constraint', async () => {
    const constraint = { properties: { to: { const: 'ada' } }, required: ['to'] }
    const { policy, shown } = always({ arguments: constraint })
    for (const to of ['ada', 'ada', 'bob']) await through(policy, callOf({ arguments: { to } }))
    expect(shown.map((request) => request.arguments)).toEqual([{ to: 'ada' }, { to: 'bob' }])
  })

  it('has its constraint compiled once, also where the store returns copies', async () => {
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

  it('lasts for eight hours at most, and can be listed and revoked', async () => {
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

  it('ends on time even if the clock is set back', async () => {
    vi.useFakeTimers({ toFake: ['Date'] })
    const clock = { now: 0 }
    const { policy, shown } = asking({ allow: true, always: { forMs } }, { remember: memoryGrants(() => clock.now) })
    await through(policy, callOf())
    vi.setSystemTime(Date.now() - 86_400_000)
    clock.now += forMs
    await through(policy, callOf())
    expect(shown).toHaveLength(2)
  })

  it('is one answer for one call where nothing remembers', async () => {
    const { policy, shown } = asking({ allow: true, always: { forMs } })
    for (let n = 0; n < 2; n++) await through(policy, callOf())
    expect(shown).toHaveLength(2)
  })

  it('refuses when what remembers cannot be asked', async () => {
    const remember = { ...memoryGrants(), list: () => Promise.reject(new Error('gone')) }
    const { refusal, sent } = await through(asking('allow', { remember }).policy, callOf())
    expect(refusal).toMatchObject({ reason: 'not-approved' })
    expect(sent).toEqual([])
  })
})

it('stops the clock of the call while a person is asked', async () => {
  const heard: string[] = []
  const call = callOf({}, toolOf())
  const context = { ...call.context, clock: { heard: (what: string) => heard.push(what) } } as unknown as ToolCall['context']
  await through(asking('allow').policy, { ...call, context })
  expect(heard).toEqual(['asking', 'answered'])
})
