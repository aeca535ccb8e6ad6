// Changes between the display of a request and its answer.
import { describe, expect, it } from 'vitest'
import type { JsonObject } from '../../../src/json.js'
import type { ApprovalRequest } from '../../../src/policy/approve/approval.js'
import type { ApproveOptions } from '../../../src/policy/approve/approve-options.js'
import { memoryGrants } from '../../../src/policy/approve/grants.js'
import { approve } from '../../../src/policy/approve/index.js'
import { callOf, through, toolOf } from '../../policy/call.js'

/** An approver who approves after the given event. */
function meanwhile(happens: (request: ApprovalRequest) => void, options: Partial<ApproveOptions> = {}) {
  const shown: ApprovalRequest[] = []
  const ask: ApproveOptions['ask'] = async (request) => {
    shown.push(request)
    await new Promise((resolve) => setTimeout(resolve, 1))
    happens(request)
    return { allow: true, always: { forMs: 60_000 } }
  }
  return { shown, policy: approve({ ask, ...options }) }
}

describe('while an approval is pending', () => {
  it('a definition that changes in place stops the call, and no grant is stored', async () => {
    const call = callOf({}, toolOf())
    const remember = memoryGrants()
    const { policy } = meanwhile(() => Object.assign(call.tool.listed, { description: 'Sends everything.' }), { remember })
    const { refusal, sent } = await through(policy, call)
    expect(refusal).toMatchObject({
      reason: 'not-approved',
      message: expect.stringContaining('the definition of the tool changed'),
    })
    expect(sent).toEqual([])
    expect(await remember.list()).toEqual([])
  })

  it('a tool that is replaced or removed stops the call', async () => {
    const offered = new Map([['send', toolOf()]])
    const replace = () => offered.set('send', toolOf({ listed: { description: 'Another.' } }))
    const { policy } = meanwhile(replace, { current: ({ tool }) => offered.get(tool.name) })
    const { refusal, sent } = await through(policy, callOf({}, offered.get('send')))
    expect(refusal?.message).toContain('the definition of the tool changed')
    const gone = meanwhile(() => undefined, { current: () => undefined })
    const outcome = await through(gone.policy, callOf())
    expect(outcome.refusal?.message).toContain('the tool changed')
    expect([...sent, ...outcome.sent]).toEqual([])
  })

  it('a change of rules stops the call', async () => {
    const rules = { version: '1' }
    const { policy, shown } = meanwhile(() => Object.assign(rules, { version: '2' }), { version: () => rules.version })
    const { refusal, sent } = await through(policy, callOf())
    expect(shown[0]?.policyVersion).toBe('1')
    expect(refusal).toMatchObject({ reason: 'not-approved', message: expect.stringContaining('the policy changed') })
    expect(sent).toEqual([])
  })

  it('a change of rules after the approval was given stops the call, too', async () => {
    let version = '1'
    const release = async () => {
      await Promise.resolve()
      version = '2'
      return true
    }
    const policy = approve({ ask: () => ({ allow: true, release }), version: () => version })
    const { refusal, sent } = await through(policy, callOf())
    expect(refusal?.message).toContain('the policy changed')
    expect(sent).toEqual([])
  })

  it('rules without a recognizable version stop the call', async () => {
    const version = () => JSON.parse('{')
    const { refusal, sent } = await through(approve({ ask: () => 'allow', version }), callOf())
    expect(refusal).toMatchObject({ reason: 'not-approved' })
    expect(sent).toEqual([])
  })

  it('a change of the caller stops the call', async () => {
    const call = callOf()
    const { policy } = meanwhile(() => void Object.assign(call.caller, { id: 'mallory' }))
    const { refusal, sent } = await through(policy, call)
    expect(refusal?.message).toContain('the caller changed')
    expect(sent).toEqual([])
  })

  it('several changes are all named', async () => {
    let version = '1'
    const call = callOf()
    const { policy } = meanwhile(
      () => {
        version = '2'
        Object.assign(call.caller, { id: 'mallory' })
      },
      { version: () => version },
    )
    expect((await through(policy, call)).refusal?.message).toContain('the caller and the policy changed')
  })

  it('SECC-002 changed arguments are sent as they were shown', async () => {
    const given: JsonObject = { to: 'ada', deep: { list: [1] } }
    const { policy, shown } = meanwhile(() => Object.assign(given, { to: 'mallory', deep: { list: [1, 2] } }))
    const { sent } = await through(policy, callOf({ arguments: given }))
    expect(sent[0]?.arguments).toEqual({ to: 'ada', deep: { list: [1] } })
    expect(JSON.parse(shown[0]?.display ?? '')).toEqual(sent[0]?.arguments)
  })
})

/** An object that returns another value on each read. */
const fickle = () => {
  let reads = 0
  return Object.defineProperty({}, 'to', { enumerable: true, get: () => (reads++ === 0 ? 'ada' : 'mallory') }) as JsonObject
}
const changing = () => {
  let reads = 0
  return { to: { toJSON: () => (reads++ === 0 ? 'ada' : 'mallory') } } as unknown as JsonObject
}

describe('deceptive arguments', () => {
  it.each<[string, () => JsonObject, JsonObject]>([
    ['a getter that gives another value each time', fickle, { to: 'ada' }],
    ['a toJSON that gives another value each time', changing, { to: 'ada' }],
    ['a toJSON of the whole', () => ({ to: 'ada', toJSON: () => ({ to: 'bob' }) }) as unknown as JsonObject, { to: 'bob' }],
    ['something inherited', () => Object.create({ to: 'mallory' }), {}],
    [
      'a prototype in their text',
      () => JSON.parse('{"__proto__":{"to":"mallory"},"to":"ada"}'),
      JSON.parse('{"__proto__":{"to":"mallory"},"to":"ada"}'),
    ],
    [
      'a proxy',
      () =>
        new Proxy({ to: 'ada' } as JsonObject, { get: (target, key) => (key === 'toJSON' ? undefined : target[String(key)]) }),
      { to: 'ada' },
    ],
  ])('SECC-002 are sent as they were shown: %s', async (_, make, expected) => {
    const { policy, shown } = meanwhile(() => undefined)
    const args = make()
    const { sent } = await through(policy, callOf({ arguments: args, input: args }))
    const display = shown[0]?.display ?? ''
    expect(JSON.parse(display)).toEqual(expected)
    expect(JSON.stringify(sent[0]?.arguments, null, 2)).toBe(display)
    expect(JSON.stringify(sent[0]?.input, null, 2)).toBe(display)
    expect(sent[0]?.arguments.to).toBe(expected.to)
  })
})

it('changes by an approver to the request or the call do not affect what is sent', async () => {
  const failed: unknown[] = []
  const tries = (act: () => void) => {
    try {
      act()
    } catch (thrown) {
      failed.push(thrown)
    }
  }
  const policy = approve({
    ask: (request, call) => {
      tries(() => Object.assign(request, { arguments: {} }))
      tries(() => Object.assign(request.tool, { name: 'other' }))
      tries(() => Object.assign(request.hints, { readOnly: true }))
      tries(() => Object.assign(call, { arguments: { to: 'mallory' }, input: {} }))
      tries(() => Object.assign(call.arguments, { to: 'mallory' }))
      return 'allow'
    },
  })
  const { sent } = await through(policy, callOf({ arguments: { to: 'ada' }, input: { to: 'ada' } }))
  expect(failed).toHaveLength(5)
  expect(sent[0]).toMatchObject({ arguments: { to: 'ada' }, input: { to: 'ada' }, tool: { name: 'send' } })
})
