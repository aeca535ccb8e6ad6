import { expect, it } from 'vitest'
import { sampleArguments } from '../src/sample-arguments.js'
import { paramHeaders } from '../src/session/request-headers.js'

it.each([
  'constructor',
  'toString',
  '__proto__',
])('the name %s, which every object inherits, means nothing in a schema', (name) => {
  const required = { type: 'object', required: [name], properties: { a: { type: 'string', format: name } } }
  expect(sampleArguments(required)).toEqual(Object.fromEntries([[name, null]]))
  expect(sampleArguments({ type: 'object', required: ['a'], properties: required.properties })).toEqual({ a: 'text' })
  const marked = { type: 'object', properties: Object.fromEntries([[name, { type: 'string', 'x-mcp-header': 'Region' }]]) }
  expect(paramHeaders(marked, {})).toEqual({})
})
