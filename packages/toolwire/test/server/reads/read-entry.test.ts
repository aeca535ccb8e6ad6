// A read may ask its caller, with the same clock, limits and records as a call.
import { type Context, jsonSchema, type Limit, prompt, resource, server, template, tool } from 'toolwire'
import { type AuditRecord, memoryAudit } from 'toolwire/guard'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { since } from '../../revisions.js'
import '../../reported-faults.js'
import { judged } from '../../official-schemas.js'
import { type Asked, able, accept, Rounder } from '../questions/rounds.js'

beforeEach(
  () => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance', 'Date'], shouldAdvanceTime: true }),
)
afterEach(() => void vi.useRealTimers())

const yes = jsonSchema({ type: 'object', properties: { ok: { type: 'boolean' } }, required: ['ok'] })
const once = { calls: 1, per: 'hour', burst: 1 } as const
const timeout = 1_000
const asks = async (ctx: Context) => `answered ${JSON.stringify(await ctx.ask('sure', 'Sure?', yes))}`

function asking(reads: Limit = once) {
  const log = memoryAudit()
  const app = server({
    name: 'a',
    version: '1',
    guard: { audit: { log } },
    limits: { reads },
    tools: { t: tool({ description: 'Asks', timeout, limit: once, run: (_, ctx) => asks(ctx) }) },
    prompts: { p: prompt({ timeout, run: (_, ctx) => asks(ctx) }) },
    resources: {
      r: resource({ timeout, uri: 'r:1', read: asks }),
      t: template({ timeout, uriTemplate: 't:{x}', read: (_, ctx) => asks(ctx) }),
    },
  })
  const records = () => log.entries().map(({ text }) => JSON.parse(text) as AuditRecord)
  return { app, records }
}

const entries = [
  ['tools/call', { name: 't' }],
  ['prompts/get', { name: 'p' }],
  ['resources/read', { uri: 'r:1' }],
  ['resources/read', { uri: 't:1' }],
] as const

const outcomes = (records: readonly AuditRecord[]) =>
  records.flatMap((record) => (record.kind === 'outcome' ? [[record.outcome, record.continued]] : []))

describe.each(since('2025-06-18'))('at %s', (revision) => {
  it.each(entries)('%s %j waits for its answer longer than its timeout, and counts once', async (method, params) => {
    const { app, records } = asking()
    const sure = async () => {
      await vi.advanceTimersByTimeAsync(10 * timeout)
      return { ok: true }
    }
    await using t = await judged(app, { revision, caller: { id: 'ada' }, answers: { sure } })
    expect(JSON.stringify(await t.request(method, params))).toContain('answered')
    const expected = [['ok', undefined]]
    const inRounds = [
      ['asked', undefined],
      ['ok', true],
    ]
    expect(outcomes(records())).toEqual(revision === '2026-07-28' ? inRounds : expected)
  })
})

describe.each(entries)('%s %j', (method, params) => {
  it('counts again if it carries answers to a question that was never asked', async () => {
    const { app, records } = asking()
    const client = new Rounder(app, { caller: { id: 'ada' }, capabilities: able })
    const inputResponses = { sure: accept({ ok: true }) }
    const replies = [
      await client.send(method, { ...params, inputResponses }),
      await client.send(method, { ...params, inputResponses }),
    ]
    expect(JSON.stringify(replies[0])).toContain('answered')
    expect(JSON.stringify(replies[1])).toContain('called too often')
    expect(outcomes(records())).toEqual([
      ['ok', undefined],
      ['refused', undefined],
    ])
  })

  it.each([
    ['forged', 'ada', 0],
    ['of another caller', 'bob', 0],
    ['expired', 'ada', 600_001],
  ])('is not made with a state that is %s, and its refusal is recorded', async (why, id, laterMs) => {
    const { app, records } = asking({ calls: 10, per: 'hour' })
    const ada = new Rounder(app, { caller: { id: 'ada' }, capabilities: able })
    const { requestState } = (await ada.asked(method, params)) as Required<Asked>
    await vi.advanceTimersByTimeAsync(laterMs)
    const given = why === 'forged' ? `${requestState}x` : requestState
    const refused = await new Rounder(app, { caller: { id }, capabilities: able }).send(method, {
      ...params,
      requestState: given,
    })
    expect(refused.error).toMatchObject({ code: -32602, message: expect.stringContaining('params.requestState') })
    const [, , intent, outcome] = records()
    const tool = { 'tools/call': 'refuse-call', 'prompts/get': 'get-prompt', 'resources/read': 'read-resource' }[method]
    expect(intent).toMatchObject({ kind: 'intent', tool: `toolwire/${tool}`, caller: id })
    expect(outcome).toMatchObject({ kind: 'outcome', decision: 'refused', reason: 'invalid-arguments' })
    expect(outcomes(records())).toEqual([
      ['asked', undefined],
      ['refused', undefined],
    ])
  })
})
