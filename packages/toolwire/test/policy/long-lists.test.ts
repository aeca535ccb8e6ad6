import { describe, expect, it } from 'vitest'
import { access } from '../../src/policy/access/index.js'
import { rules } from '../../src/policy/rules/index.js'
import { Rulebook } from '../../src/policy/rules/rulebook.js'
import type { ReadyTool } from '../../src/tools/tool.js'
import { toolOf } from './call.js'

const ada = { id: 'ada', scopes: [] }
const root = { id: 'root', scopes: ['admin'] }
const names = (tools: readonly ReadyTool[] | undefined) => tools?.map(({ name }) => name)
const many = Array.from({ length: 200 }, (_, at) => toolOf({ listed: { name: `tool_${at}` } }))
const withoutFirst = names(many.slice(1))

describe('the cached long list', () => {
  it('is the same array if nothing is hidden', () => {
    const policy = rules({ default: 'allow', rules: [] })
    expect(policy.list?.(many, ada)).toBe(many)
    expect(access().list?.(many, ada)).toBe(many)
  })

  it('is replaced when the rules change', () => {
    const open = new Rulebook({ default: 'allow', rules: [] })
    const source: { current: Rulebook | undefined } = { current: open }
    const policy = rules(source as { current: Rulebook })
    expect(policy.list?.(many, ada)).toBe(many)
    source.current = new Rulebook({ default: 'allow', rules: [{ name: 'none', when: { tool: 'tool_0' }, decision: 'deny' }] })
    expect([names(policy.list?.(many, ada)), names(policy.list?.(many, root))]).toEqual([withoutFirst, withoutFirst])
    source.current = undefined
    expect(policy.list?.(many, ada)).toEqual([])
    source.current = open
    expect(policy.list?.(many, ada)).toBe(many)
  })

  it('is separate for each caller if the rules depend on the caller', () => {
    const policy = rules({
      default: 'allow',
      rules: [
        { name: 'admins', when: { tool: 'tool_0', caller: { scopes: ['admin'] } }, decision: 'allow' },
        { name: 'others', when: { tool: 'tool_0' }, decision: 'deny' },
      ],
    })
    for (let time = 0; time < 2; time++) {
      expect(names(policy.list?.(many, ada))).toEqual(withoutFirst)
      expect(policy.list?.(many, root)).toBe(many)
    }
  })

  it('is separate for each caller if tools need scopes', () => {
    const [first, ...others] = many as [ReadyTool, ...ReadyTool[]]
    const guarded = [{ ...first, definition: { ...first.definition, scopes: ['admin'] } }, ...others]
    const policy = access()
    for (let time = 0; time < 2; time++) {
      expect(names(policy.list?.(guarded, ada))).toEqual(withoutFirst)
      expect(policy.list?.(guarded, root)).toBe(guarded)
    }
  })
})
