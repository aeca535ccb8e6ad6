import { describe, expect, it } from 'vitest'
import { callFormOf, pastedText, readCallForm, readPasted } from '../../src/policy/explain/written-call.js'

const call = { tool: 'read_file', arguments: { path: '/srv' } }
const read = (value: unknown) => readPasted(JSON.stringify(value))

describe('a pasted call', () => {
  it('is read in every common format', () => {
    expect(read(call)).toEqual({ call })
    expect(
      read({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'read_file', arguments: { path: '/srv' } } }),
    ).toEqual({ call })
    expect(read({ type: 'tool_use', id: 'x', name: 'read_file', input: { path: '/srv' } })).toEqual({ call })
    expect(read({ type: 'function', function: { name: 'read_file', arguments: '{"path":"/srv"}' } })).toEqual({ call })
    expect(read({ call, expect: 'allow' })).toEqual({ call })
    expect(read({ tool: { name: 'read_file', hash: 'x' }, arguments: { path: '/srv' }, id: 'y' })).toEqual({ call })
  })

  it('keeps other fields that rules use, and drops fields that would be refused', () => {
    const about = { caller: { id: 'ana', scopes: ['x'] }, server: 'files', hints: { readOnly: true }, tags: ['t'] }
    expect(read({ ...call, ...about, sequence: 5 })).toEqual({ call: { ...call, ...about } })
    expect(read({ ...call, caller: 5, server: null, hints: [], tags: 'x' })).toEqual({ call })
  })

  it('may lack arguments', () => {
    expect(read({ name: 'list' })).toEqual({ call: { tool: 'list', arguments: {} } })
  })

  it('reports why a text is not a call', () => {
    expect(readPasted('read_file(')).toHaveProperty('problem')
    for (const value of [null, [], 5, {}, { tool: '' }, { ...call, arguments: [] }, { ...call, arguments: 'x' }])
      expect(read(value)).toHaveProperty('problem')
  })
})

describe('a call in fields', () => {
  const form = { tool: ' read_file ', caller: 'ana', scopes: 'a,  b', arguments: '{"path":"/srv"}' }

  it('is read', () => {
    const caller = { id: 'ana', scopes: ['a', 'b'], anonymous: false }
    expect(readCallForm(form)).toEqual({ call: { ...call, caller } })
    expect(readCallForm({ ...form, caller: '', scopes: '' }).call?.caller).toEqual({
      id: 'anonymous',
      scopes: [],
      anonymous: true,
    })
    expect(readCallForm({ ...form, arguments: ' ' }).call?.arguments).toEqual({})
  })

  it('needs a tool, and an object of arguments', () => {
    expect(readCallForm({ ...form, tool: ' ' })).toHaveProperty('problem')
    for (const text of ['[]', '5', '{', 'null']) expect(readCallForm({ ...form, arguments: text })).toHaveProperty('problem')
  })

  it('survives a round trip through JSON', () => {
    for (const caller of ['ana', '']) {
      const { call: written } = readCallForm({ ...form, caller })
      const { call: pasted } = readPasted(pastedText(written!))
      expect(readCallForm(callFormOf(pasted!)).call).toEqual(written)
    }
    expect(callFormOf({ ...call, caller: 'bob' }).caller).toBe('bob')
  })
})
