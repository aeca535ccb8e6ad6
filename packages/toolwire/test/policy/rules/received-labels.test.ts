// The data that callers have received decides where they may send: rules with `received`, compared with a simple model.
import fc from 'fast-check'
import { ask, type Context, inputRequired, type JsonObject, resource, server, tool } from 'toolwire'
import { harness } from 'toolwire/testing'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import type { LabelStore } from '../../../src/policy/rules/label-store.js'
import { ReceivedLabels } from '../../../src/policy/rules/received-labels.js'
import { defineRules, explain, Rulebook, type RuleSet, RulesError, rules, runCases } from '../../../src/rules.js'
import { Refusal } from '../../../src/tools/refusal.js'
import { howMany } from '../../soak.js'
import { callOf, done, through } from '../call.js'

const hints = { readOnly: true }
const listed = (name: string) => ({ listed: { name }, hints })

const set = defineRules({
  default: 'allow',
  labels: [{ name: 'customers', when: { server: 'crm', tool: 'read_*' } }],
  rules: [
    { name: 'customers stay here', when: { server: 'web', received: 'customers' }, decision: 'deny', because: 'it is private' },
  ],
  cases: [
    { call: { server: 'web', tool: 'post', received: ['customers'] }, expect: 'deny', rule: 'customers stay here' },
    { call: { server: 'web', tool: 'post' }, expect: 'allow', rule: null },
  ],
})

const read = callOf({ server: 'crm', ...listed('read_client') })
const post = callOf({ server: 'web', ...listed('post') })

describe('a rule about the data that the caller has received', () => {
  it('prevents sending data of one server to another, only for callers that received it', async () => {
    const policy = rules(set)
    expect((await through(policy, post)).result).toBe(done)
    await through(policy, read)
    const { refusal, sent } = await through(policy, post)
    expect(refusal).toMatchObject({ reason: 'forbidden', message: 'This call to post is not allowed: it is private' })
    expect(sent).toEqual([])
    expect((await through(policy, callOf({ server: 'web', ...listed('post'), caller: 'ada' }))).result).toBe(done)
    expect((await through(policy, callOf({ server: 'crm', ...listed('write_client') }))).result).toBe(done)
  })

  it('agrees with its cases and explains itself', () => {
    expect(runCases(set)).toEqual({ passed: 2, failed: [] })
    const { considered } = explain(set, { server: 'web', tool: 'post' })
    expect(considered[0]?.why).toBe('the caller has not received customers')
  })

  it('applies from the beginning of the call, and no longer if the call was never sent', async () => {
    const policy = rules(set)
    let during: unknown
    await policy.call?.(read, async () => {
      during = (await through(policy, post)).refusal?.reason
      return done
    })
    expect(during).toBe('forbidden')
    const other = rules(set)
    await through(other, read, new Refusal('not-approved', 'No'))
    expect((await through(other, post)).result).toBe(done)
    await through(other, read, new Error('The server failed, and said why'))
    expect((await through(other, post)).refusal?.reason).toBe('forbidden')
  })

  it('hides no tool from lists, because it depends on earlier calls', () => {
    const policy = rules({ ...set, default: 'deny' })
    expect(new Rulebook(set).hides(post.tool, post.caller, 'web')).toBe(false)
    expect(policy.list?.([post.tool], post.caller)).toEqual([])
  })

  it('applies to resources and prompts if it names only servers', () => {
    const whole = rules({
      default: 'allow',
      labels: [{ name: 'customers', when: { server: 'crm' } }],
      rules: [
        { name: 'customers stay here', when: { server: 'web', received: 'customers' }, decision: 'deny' },
        { name: 'nothing of that one', when: { server: 'bad' }, decision: 'deny' },
        { name: 'a tool of this one', when: { server: 'good', tool: 'x' }, decision: 'deny' },
      ],
    })
    const eve = post.caller
    expect(() => whole.read('bad', eve)).toThrow(Refusal)
    whole.read('good', eve)
    whole.read('web', eve)
    whole.read('crm', eve)
    expect(() => whole.read('web', eve)).toThrow('Resources and prompts of web are not allowed')
    whole.read('web', { id: 'ada', scopes: [] })
  })

  it('must name an existing label', () => {
    const misspelled: RuleSet = { ...set, rules: [{ name: 'x', when: { received: 'customer' }, decision: 'deny' }] }
    expect(() => new Rulebook(misspelled)).toThrow(RulesError)
    expect(() => new Rulebook(misspelled)).toThrow('there is no label "customer": the labels are customers')
    expect(() => new Rulebook({ ...set, labels: [...(set.labels ?? []), ...(set.labels ?? [])] })).toThrow(
      'there is another label',
    )
  })
})

const runs = howMany(50, 2_000)

describe('received data, in generated conversations,', () => {
  const servers = ['a', 'b', 'c']
  const labels = ['red', 'blue']
  const step = fc.record({
    caller: fc.constantFrom('eve', 'ada', 'a', 'red'),
    server: fc.constantFrom(...servers),
    tool: fc.constantFrom('get', 'put'),
    isRead: fc.boolean(),
  })
  const some = (from: readonly string[]) => fc.subarray([...from], { minLength: 1 })
  const plan = fc.record({
    sources: fc.array(fc.record({ server: some(servers), tool: fc.option(fc.constantFrom('get', 'put'), { nil: undefined }) }), {
      minLength: labels.length,
      maxLength: labels.length,
    }),
    sinks: fc.array(fc.record({ server: some(servers), received: some(labels) }), { minLength: 1, maxLength: 3 }),
    steps: fc.array(step, { maxLength: 40 }),
  })

  const stores = { 'at once': () => new ReceivedLabels(), later: () => answeringLater(new ReceivedLabels()) }

  it.each(
    Object.entries(stores),
  )('never reaches a forbidden server, for any calls, with labels in a store that answers %s', async (_, store) => {
    await fc.assert(
      fc.asyncProperty(plan, async ({ sources, sinks, steps }) => {
        const flows: RuleSet = {
          default: 'allow',
          labels: sources.map(({ server, tool }, at) => ({ name: labels[at] ?? '', when: { server, ...(tool && { tool }) } })),
          rules: sinks.map((when, at) => ({ name: `sink ${at}`, when, decision: 'deny' as const })),
        }
        const policy = rules(flows, { received: store() })
        const known = new Map<string, Set<string>>()
        for (const { caller, server, tool, isRead } of steps) {
          const has = known.get(caller) ?? new Set()
          known.set(caller, has)
          const forbidden = sinks.some((sink) => sink.server.includes(server) && sink.received.some((label) => has.has(label)))
          const given = sources.flatMap((source, at) =>
            source.server.includes(server) && (source.tool === undefined || (!isRead && source.tool === tool))
              ? [labels[at] ?? '']
              : [],
          )
          const reading = async () => policy.read(server, { id: caller, scopes: [] })
          const refused = isRead
            ? await reading().then(() => false, isRefusal)
            : (await through(policy, callOf({ server, caller, ...listed(tool) }))).refusal !== undefined
          expect(refused).toBe(forbidden)
          if (!refused) for (const label of given) has.add(label)
        }
      }),
      { numRuns: runs },
    )
  })

  it('is not forgotten even with very many callers', () => {
    const received = new ReceivedLabels()
    for (let n = 0; n < 60_000; n++) received.hold(`caller ${n}`, [{ name: 'red', when: {} }]).end()
    for (let n = 0; n < 60_000; n += 997) expect(received.has(`caller ${n}`, 'red')).toBe(true)
    expect(received.has('caller 0', 'blue')).toBe(false)
  })
})

const isRefusal = (thrown: unknown) => thrown instanceof Refusal

/** Makes the store asynchronous, like one that replicas share. */
function answeringLater(store: LabelStore): LabelStore {
  return {
    received: async (caller, labels) => store.received(caller, labels),
    hold: async (caller, labels) => store.hold(caller, labels),
  }
}

function newGate() {
  let open = () => {}
  const opened = new Promise<void>((resolve) => {
    open = resolve
  })
  return { opened, open: () => open() }
}

describe('labels from an asynchronous store', () => {
  const person = z.object({ name: z.string() })
  const eve = { id: 'eve', scopes: [] }
  const customers = [{ name: 'customers', when: {} }]

  it('prevent the answer to a question of a handler', async () => {
    const received = new ReceivedLabels()
    const answered: unknown[] = []
    const read = (ctx: Context) => {
      if (!ctx.resumed) return inputRequired({ who: ask('Who?', person) })
      answered.push(ctx.resumed.responses)
      return 'asked'
    }
    const app = server({
      name: 'web',
      version: '1',
      guard: { rules: rules(set, { received: answeringLater(received) }) },
      resources: { note: resource({ uri: 'web://note', server: 'web', read }) },
    })
    const who = (reads: boolean) => () => {
      if (reads) received.hold('eve', customers)
      return { action: 'accept' as const, content: { name: 'Ada' } }
    }
    for (const reads of [false, true]) {
      const one = await harness(app, { revision: '2025-11-25', caller: eve, answers: { who: who(reads) } })
      const outcome = await one.request('resources/read', { uri: 'web://note' }).then(JSON.stringify, String)
      one.close()
      expect(outcome).toContain(reads ? 'web are not allowed' : 'asked')
      expect(answered).toHaveLength(1)
    }
  })

  it('judge the arguments as they were at the time of the call', async () => {
    const gate = newGate()
    const store = answeringLater(new ReceivedLabels())
    const waiting: LabelStore = { ...store, received: (...given) => gate.opened.then(() => store.received(...given)) }
    const call = callOf({ server: 'web', ...listed('post'), arguments: { to: 'ada' } })
    const going = through(rules(set, { received: waiting }), call)
    call.arguments.to = 'eve'
    gate.open()
    expect((await going).sent.map((sent) => sent.arguments)).toEqual([{ to: 'ada' }])
  })

  it.each(['call', 'read'] as const)('end if the %s timed out while they were stored', async (what) => {
    const gate = newGate()
    const held: string[] = []
    const ended: string[] = []
    const waiting: LabelStore = {
      received: (caller) => new ReceivedLabels().received(caller),
      async hold() {
        const n = String(held.push('held'))
        // A read stores its labels before it begins, and again before the answer to its question continues.
        if (what === 'call' || n === '2') await gate.opened
        return { end: () => void ended.push(n), takeBack: () => undefined }
      },
    }
    const flows = defineRules({
      labels: [{ name: 'customers', when: { server: 'crm' } }],
      rules: [{ name: 'quick', when: { server: 'crm' }, decision: 'allow', timeout: 50 }],
    })
    const read = async (ctx: Context) => (await ctx.ask('who', 'Who?', person)).name
    const app = server({
      name: 'crm',
      version: '1',
      guard: { rules: rules(flows, { received: waiting, serverOf: () => 'crm' }) },
      tools: { read: tool({ description: 'Reads', run: () => 'read' }) },
      resources: { note: resource({ uri: 'crm://note', server: 'crm', timeout: 50, read }) },
    })
    const answers = { who: () => ({ action: 'accept' as const, content: { name: 'Ada' } }) }
    const one = await harness(app, { revision: '2025-11-25', caller: eve, answers })
    const params = what === 'call' ? { name: 'read', arguments: {} } : { uri: 'crm://note' }
    const outcome = one.request(what === 'call' ? 'tools/call' : 'resources/read', params).then(JSON.stringify, String)
    expect(await outcome).toMatch(/within 50 ms|timed out|too long|did not/)
    gate.open()
    await expect.poll(() => ended.sort()).toEqual(what === 'call' ? ['1'] : ['1', '2'])
    one.close()
  })

  it('refuse the call if the store fails, and are taken back if they arrive too late', async () => {
    const failing: LabelStore = { ...answeringLater(new ReceivedLabels()), hold: () => Promise.reject(new Error('gone')) }
    const { refusal, sent } = await through(rules(set, { received: failing }), read)
    expect(refusal).toMatchObject({ reason: 'forbidden', message: expect.stringContaining('could not be evaluated') })
    expect(sent).toEqual([])
    const gate = newGate()
    let takenBack = 0
    const slow: LabelStore = {
      ...failing,
      hold: () => gate.opened.then(() => ({ end: () => undefined, takeBack: () => void takenBack++ })),
    }
    // Circular arguments refuse the call while the labels are being stored.
    const circle: JsonObject = {}
    circle.self = circle
    const odd = { ...read, arguments: circle }
    expect((await through(rules(set, { received: slow }), odd)).refusal?.reason).toBe('invalid-arguments')
    gate.open()
    await expect.poll(() => takenBack).toBeGreaterThan(0)
  })
})
