// A relayed tool has two names: the exposed one that callers see, and its own one on its server.
import { describe, expect, it } from 'vitest'
import { server } from '../../../src/index.js'
import { callToTool } from '../../../src/policy/rules/cases.js'
import type { RuleCondition } from '../../../src/policy/rules/rule-set.js'
import { relay } from '../../../src/relay/index.js'
import { explain, type RuleSet, rules, runCases } from '../../../src/rules.js'
import { harness } from '../../../src/testing/index.js'
import { callOf, through, toolOf } from '../call.js'

const write = { server: 'files', tool: 'files__write_file', ownName: 'write_file' }
const deciding = (when: RuleCondition, decision: 'allow' | 'deny' | 'ask'): RuleSet => ({
  default: decision === 'deny' ? 'allow' : 'deny',
  rules: [{ name: 'it', when, decision }],
})
const by = (when: RuleCondition, decision: 'allow' | 'deny' | 'ask', call: Parameters<typeof explain>[1] = write) =>
  explain(deciding(when, decision), call).rule === 'it'

describe.each(['allow', 'deny', 'ask'] as const)('a rule with the decision %s', (decision) => {
  it.each([
    'write_file',
    'files__write_file',
    ['read_file', 'write_file'],
    'write_*',
    '*__write_?ile',
    { const: 'write_file' },
    { pattern: '^write_' },
    { pattern: '^files__write_' },
  ])('matches a tool of its server by either name: %j', (tool) => {
    expect(by({ server: 'files', tool }, decision)).toBe(true)
    expect(by({ server: 'fi*', tool }, decision)).toBe(true)
    expect(by({ server: 'other', tool }, decision)).toBe(false)
  })

  it('matches the exposed name if it names no server', () => {
    expect(by({ tool: 'write_file' }, decision)).toBe(false)
    expect(by({ tool: 'files__write_file' }, decision)).toBe(true)
  })

  it('excludes a tool by either name', () => {
    for (const name of ['write_file', 'files__write_file'])
      expect(by({ server: 'files', tool: { not: { enum: [name] } } }, decision)).toBe(false)
    expect(by({ server: 'files', tool: { not: { enum: ['read_file'] } } }, decision)).toBe(true)
  })
})

it('a rule that denies matches look-alikes of both names, and a rule that allows does not', () => {
  for (const call of [
    { ...write, ownName: 'Write_File' },
    { ...write, tool: 'FILES__write_file', ownName: 'x' },
  ])
    for (const tool of ['write_file', 'files__write_file']) {
      const isSame = [call.tool, call.ownName].some((name) => name.toLowerCase() === tool)
      expect(by({ server: 'files', tool }, 'deny', call)).toBe(isSame)
      expect(by({ server: 'files', tool }, 'allow', call)).toBe(call.tool === tool)
    }
})

describe('a name that is the own name of one tool and the exposed name of another', () => {
  // The operator exposes `wipe` as `read`, and `read` as `look`.
  const wipe = { server: 'files', tool: 'read', ownName: 'wipe', shadowed: true }
  const read = { server: 'files', tool: 'look', ownName: 'read' }

  it('allows only the tool with this own name', () => {
    expect(by({ server: 'files', tool: 'read' }, 'allow', read)).toBe(true)
    expect(by({ server: 'files', tool: 'read' }, 'allow', wipe)).toBe(false)
    expect(by({ server: 'files', tool: 'r*' }, 'allow', wipe)).toBe(false)
    expect(explain(deciding({ server: 'files', tool: 'read' }, 'allow'), wipe).considered[0]?.why).toContain(
      'this tool is called wipe',
    )
    expect(by({ server: 'files', tool: 'wipe' }, 'allow', wipe)).toBe(true)
    expect(by({ tool: 'read' }, 'allow', wipe)).toBe(true)
  })

  it('denies both tools', () => {
    for (const call of [read, wipe]) expect(by({ server: 'files', tool: 'read' }, 'deny', call)).toBe(true)
  })

  it('asks about both tools, or denies them', () => {
    for (const call of [read, wipe])
      expect(
        explain({ default: 'allow', rules: [{ name: 'it', when: { server: 'files', tool: 'read' }, decision: 'ask' }] }, call),
      ).toMatchObject({
        decision: 'ask',
      })
  })

  it('exempts only one of them from a rule that denies all others', () => {
    const others = { server: 'files', tool: { not: { enum: ['read'] } } }
    expect(by(others, 'deny', read)).toBe(false)
    expect(by(others, 'deny', wipe)).toBe(true)
  })
})

it('a schema of the whole call sees the exposed name, and no additional members', () => {
  const call = {
    type: 'object',
    properties: { tool: { const: 'files__write_file' }, server: true, hints: true, tags: true, caller: true, arguments: true },
  }
  expect(by({ call: { ...call, additionalProperties: false } }, 'deny')).toBe(true)
  expect(by({ call: { properties: { tool: { const: 'write_file' } } } }, 'deny')).toBe(false)
})

describe('a server that relays a tool', () => {
  const listed = { name: 'ignored', inputSchema: { type: 'object' } }
  const app = (set: RuleSet, made: string[], about = {}) =>
    server({
      name: 'gate',
      version: '1.0.0',
      tools: {
        files__write_file: relay(listed, {
          server: 'files',
          ownName: 'write_file',
          ...about,
          run: async () => {
            made.push('written')
            return { content: [], isError: false }
          },
        }),
      },
      policies: [rules(set)],
    })

  it('neither lists nor calls it if a rule denies its own name', async () => {
    const made: string[] = []
    await using t = await harness(app(deciding({ server: 'files', tool: ['write_file'] }, 'deny'), made))
    expect((await t.request('tools/list')).tools).toEqual([])
    await expect(t.call('files__write_file')).rejects.toThrow('Unknown tool')
    expect(made).toEqual([])
  })

  it('calls it if a rule allows its own name, unless another tool is exposed under this name', async () => {
    const made: string[] = []
    await using t = await harness(app(deciding({ server: 'files', tool: 'write_file' }, 'allow'), made))
    await t.call('files__write_file')
    expect(made).toEqual(['written'])
    const set = deciding({ server: 'files', tool: 'files__write_file' }, 'allow')
    await using other = await harness(app(set, made, { shadowed: true }))
    await expect(other.call('files__write_file')).rejects.toThrow('Unknown tool')
    expect(made).toEqual(['written'])
  })
})

it('calls are judged by the server from `serverOf`, like lists', async () => {
  const tool = toolOf({ listed: { name: 'send' } })
  const { server: _, ...call } = callOf({}, tool)
  const policy = rules(deciding({ server: 'mail', tool: 'send' }, 'deny'), { serverOf: () => 'mail' })
  expect(policy.list?.([tool], call.caller)).toEqual([])
  expect(await through(policy, call)).toMatchObject({ sent: [], refusal: { reason: 'unknown-tool' } })
})

describe('a test case', () => {
  const set: RuleSet = {
    default: 'allow',
    rules: [{ name: 'no', when: { server: 'files', tool: 'write_file' }, decision: 'deny' }],
    cases: [{ call: { server: 'files', tool: 'read' }, expect: 'allow' }],
  }

  it('must hold for each tool that it may match', () => {
    const toolsFor = () => [
      { server: 'files', tool: 'look', ownName: 'read' },
      { server: 'files', tool: 'read', ownName: 'write_file' },
    ]
    expect(runCases(set).failed).toEqual([])
    expect(runCases(set, undefined, { toolsFor }).failed).toMatchObject([{ explanation: { rule: 'no' } }])
  })

  it('about a missing tool fails, with a message', () => {
    const toolsFor = () => 'there is no tool "read"; did you mean "look"?'
    expect(runCases(set, undefined, { toolsFor }).failed).toMatchObject([
      { message: 'a call to read: there is no tool "read"; did you mean "look"?' },
    ])
  })

  it('overrides the hints of the tool', () => {
    const tool = { server: 'files', tool: 'x', hints: { readOnly: true } }
    expect(callToTool({ tool: 'x' }, tool).hints).toEqual({ readOnly: true })
    expect(callToTool({ tool: 'x', hints: { readOnly: false } }, tool).hints).toEqual({ readOnly: false })
  })
})
