// Relayed tools of another server: their definitions and results are passed on unchanged.
import { describe, expect, it } from 'vitest'
import { type Approver, askCaller, type Policy } from '../../../src/guard.js'
import { prompt, server, type ToolResult, tool } from '../../../src/index.js'
import type { JsonObject } from '../../../src/json.js'
import type { Redactor } from '../../../src/policy/audit/redaction.js'
import { type ListedTool, relay } from '../../../src/relay/index.js'
import { type RuleSet, rules as rulesPolicy } from '../../../src/rules.js'
import type { Answers, HarnessQuestion } from '../../../src/testing/answer-question.js'
import { harness } from '../../../src/testing/index.js'
import { since } from '../../revisions.js'

const listed = {
  name: 'there',
  title: 'There',
  description: 'Somewhere else',
  inputSchema: { type: 'object', properties: { a: { $ref: '#/$defs/a' } }, $defs: { a: { type: 'string' } } },
  outputSchema: { type: 'object', properties: { b: { type: 'number' } }, required: ['b'] },
  annotations: { readOnlyHint: true, 'com.example/own': 1 },
  _meta: { 'io.modelcontextprotocol/strange': true },
} satisfies ListedTool

const odd = {
  content: [
    { type: 'text', text: 'hi', 'com.example/more': 1 },
    { type: 'image', data: 'not base64!', mimeType: 'none' },
    { type: 'hologram', beams: [1, 2] },
  ],
  structured: { b: 'no number' },
  isError: false,
  meta: { 'com.example/trace': 't' },
} as unknown as ToolResult

const app = (run: (args: JsonObject) => Promise<ToolResult> = async () => odd) =>
  server({ name: 'here', version: '1.0.0', guard: { sanitize: false }, tools: { here: relay(listed, { run }) } })

describe('a relayed tool', () => {
  it('is listed under its exposed name, and otherwise unchanged', async () => {
    const t = await harness(app())
    const { tools } = await t.request('tools/list')
    expect(tools).toEqual([{ ...listed, name: 'here' }])
  })

  it.each(since('2024-11-05'))('has only the members that %s defines', async (revision) => {
    const t = await harness(app(), { revision })
    const [entry] = (await t.request('tools/list')).tools as JsonObject[]
    expect(entry?.description).toBe(listed.description)
    expect('outputSchema' in (entry ?? {})).toBe(since('2025-06-18').includes(revision))
  })

  it('returns any result unchanged and unchecked', async () => {
    const t = await harness(app())
    const { content, structuredContent, _meta } = await t.call('here', { a: 1, unknown: true })
    expect(content).toEqual(odd.content)
    expect(structuredContent).toEqual(odd.structured)
    expect(_meta).toMatchObject(odd.meta!)
  })

  it('receives its arguments unchanged', async () => {
    const seen: JsonObject[] = []
    const t = await harness(
      app(async (args) => {
        seen.push(args)
        return odd
      }),
    )
    await t.call('here', { a: 1, unknown: true })
    expect(seen).toEqual([{ a: 1, unknown: true }])
  })

  const fixed = { root: '/etc', api_key: 'sk-live-0123456789abcdef' }

  /** A server with a tool of fixed arguments, and what each part of a call sees of them. */
  function fixing(rules: RuleSet = { default: 'ask', rules: [] }) {
    const seen: { [part: string]: JsonObject[] } = { audit: [], approver: [], sent: [] }
    const run = async (args: JsonObject) => {
      seen.sent?.push(args)
      return odd
    }
    const ask: Approver = ({ arguments: args }, call) => {
      seen.approver?.push(args, call.arguments)
      return 'allow'
    }
    const redact: Redactor = ({ arguments: args }) => {
      seen.audit?.push(args)
      return {}
    }
    const tools = { here: relay(listed, { longRunning: 'optional', fixedArguments: fixed, run }) }
    const guard = {
      sanitize: false,
      approve: { ask },
      rules: rulesPolicy(rules),
      audit: { write: () => undefined, redact },
    } as const
    return { seen, app: server({ name: 'here', version: '1.0.0', guard, tools }) }
  }

  it.each(
    since('2024-11-05'),
  )('shows its fixed arguments to the audit log and the approver in %s, except for secrets', async (revision) => {
    const { seen, app } = fixing()
    const t = await harness(app, { revision })
    await t.call('here', { a: 1 })
    const sent = { a: 1, ...fixed }
    expect(seen).toEqual({
      audit: [sent],
      approver: [{ ...sent, api_key: expect.not.stringContaining('0123') }, sent],
      sent: [sent],
    })
  })

  it.each(since('2024-11-05'))('is judged with its fixed arguments in %s', async (revision) => {
    const outside = { name: 'outside', when: { arguments: { root: { outside: '/srv' } } }, decision: 'deny' } as const
    const { seen, app } = fixing({ default: 'allow', rules: [outside] })
    const t = await harness(app, { revision })
    const denied = await t.call('here', { a: 1 }).catch((thrown) => thrown)
    expect(JSON.stringify(denied.message ?? denied)).toContain('not allowed')
    expect(seen.sent).toEqual([])
  })

  it('is judged with its fixed arguments as a task', async () => {
    const { seen, app } = fixing()
    const t = await harness(app, { revision: '2025-11-25' })
    const { task } = await t.request('tools/call', { name: 'here', arguments: { a: 1 }, task: {} })
    await t.request('tasks/result', { taskId: (task as JsonObject).taskId! })
    expect(seen).toMatchObject({ audit: [{ a: 1, ...fixed }], sent: [{ a: 1, ...fixed }] })
  })

  it.each(
    since('2024-11-05'),
  )("refuses a caller's value for a fixed argument in %s, even the same one, before a person is asked", async (revision) => {
    for (const own of [{ root: '/srv' }, fixed]) {
      const { seen, app } = fixing()
      const t = await harness(app, { revision })
      const refused = await t.call('here', { a: 1, ...own }).catch((thrown) => thrown)
      expect(JSON.stringify(refused.message ?? refused)).toContain('is set by the operator; leave it out')
      expect(seen).toEqual({ audit: [{ a: 1, ...fixed, ...own }], approver: [], sent: [] })
    }
  })

  it("refuses a caller's value for a fixed argument where nothing is validated, too", async () => {
    const sent: JsonObject[] = []
    const run = async (args: JsonObject) => {
      sent.push(args)
      return odd
    }
    const tools = { here: relay(listed, { fixedArguments: fixed, run }) }
    const t = await harness(server({ name: 'here', version: '1.0.0', guard: { validate: false }, tools }))
    const refused = await t.call('here', { root: '/srv' }).catch((thrown) => thrown)
    expect(JSON.stringify(refused.message ?? refused)).toContain('set by the operator')
    await t.call('here', { a: 1 })
    expect(sent).toEqual([{ a: 1, ...fixed }])
  })

  it('asks the caller about the arguments of the caller alone', async () => {
    const questions: string[] = []
    const tools = { here: relay(listed, { fixedArguments: fixed, run: async () => odd }) }
    const guard = { sanitize: false, approve: { ask: askCaller() } } as const
    const answer = ({ params }: HarnessQuestion) => {
      questions.push(String(params.message))
      return { decision: 'allow' }
    }
    const answers: Answers = new Proxy({}, { get: () => answer })
    const t = await harness(server({ name: 'here', version: '1.0.0', guard, tools }), { answers })
    await t.call('here', { a: 1 })
    expect(questions).toEqual([expect.stringContaining('beside those that the operator sets:\n{\n  "a": 1\n}')])
  })

  it('is called after an approval with the frozen arguments without a copy, while arguments that a policy made are copied', async () => {
    const shared = { kept: true }
    const given: JsonObject[] = []
    const sent: JsonObject[] = []
    const approve: Policy = {
      name: 'own',
      call(call, next) {
        const { replace } = call.arguments
        const passed = replace ? { ...call, arguments: { shared }, input: undefined } : call
        given.push(passed.arguments)
        return next(passed)
      },
    }
    const run = async (args: JsonObject) => {
      sent.push(args)
      return odd
    }
    const guard = { sanitize: false, approve: { ask: () => 'allow' as const } } as const
    const asking = server({ name: 'here', version: '1.0.0', guard, policies: [approve], tools: { here: relay(listed, { run }) } })
    const t = await harness(asking)
    await t.call('here', { a: { b: [1] } })
    await t.call('here', { replace: true })
    expect(sent).toEqual([{ a: { b: [1] } }, { shared: { kept: true } }])
    expect(sent[0]).toBe(given[0])
    const { a } = sent[0] as unknown as { readonly a: { readonly b: readonly number[] } }
    expect([sent[0], a, a.b].every(Object.isFrozen)).toBe(true)
    expect(sent[1]?.shared).not.toBe(shared)
    expect(Object.isFrozen(shared)).toBe(false)
  })

  it('passes the policies like any other, with the configured hints', async () => {
    const seen: unknown[] = []
    const policy: Policy = {
      name: 'look',
      call: async (call, next) => {
        seen.push(call.tool.definition.hints, call.tool.listed.annotations, call.server)
        return next(call)
      },
    }
    const here = relay(listed, { server: 'there', hints: { readOnly: false }, run: async () => odd })
    const t = await harness(server({ name: 'here', version: '1.0.0', policies: [policy], tools: { here } }))
    await t.call('here')
    expect(seen).toEqual([{ readOnly: false }, listed.annotations, 'there'])
  })

  it('may have header marks that cannot be applied', async () => {
    const marked = { ...listed, inputSchema: { type: 'object', properties: { a: { type: 'object', 'x-mcp-header': 'A' } } } }
    const tools = { here: relay(marked, { run: async () => odd }) }
    const t = await harness(server({ name: 'here', version: '1.0.0', guard: { sanitize: false }, tools }))
    expect((await t.call('here')).content).toEqual(odd.content)
  })
})

describe('tools that are set together', () => {
  const plain = (description: string) => tool({ description, run: () => description })

  it('are listed in this order, and only differences are announced', async () => {
    const [a, b, c] = ['a', 'b', 'c'].map(plain) as [ReturnType<typeof plain>, ReturnType<typeof plain>, ReturnType<typeof plain>]
    const live = server({ name: 'live', version: '1.0.0', tools: { b, a }, prompts: { hello: prompt({ run: () => 'hello' }) } })
    const t = await harness(live, { revision: '2025-11-25' })
    const names = async () => ((await t.request('tools/list')).tools as JsonObject[]).map(({ name }) => name)
    live.tools.set([
      ['b', b],
      ['a', a],
    ])
    live.prompts.remove('hello')
    await t.hear('notifications/prompts/list_changed')
    expect(t.heard('notifications/tools/list_changed')).toEqual([])
    live.tools.set([
      ['a', a],
      ['b', c],
      ['d', b],
    ])
    await t.hear('notifications/tools/list_changed')
    expect(await names()).toEqual(['a', 'b', 'd'])
    expect((await t.call('b')).content).toEqual([{ type: 'text', text: 'c' }])
    live.tools.set([['d', b]])
    expect(await names()).toEqual(['d'])
  })

  it('stay unchanged if one of the new ones is invalid', async () => {
    const live = server({ name: 'live', version: '1.0.0', tools: { a: plain('a') } })
    expect(() =>
      live.tools.set([
        ['b', plain('b')],
        ['no name', plain('c')],
      ]),
    ).toThrow('is not a valid tool name')
    expect(live.tools.names).toEqual(['a'])
  })
})

describe('a finished effect without a result', () => {
  it.each(since('2026-07-28'))('is not repeated when the handler runs again, at %s', async (revision) => {
    let done = 0
    const ask = tool({
      description: 'Asks',
      run: async (_, ctx) => {
        await ctx.once('effect', () => {
          done++
        })
        return String(await ctx.ask.roots('roots'))
      },
    })
    const t = await harness(server({ name: 'once', version: '1.0.0', tools: { ask } }), {
      revision,
      answers: { roots: { roots: [] } },
    })
    await t.call('ask')
    expect(done).toBe(1)
  })
})
