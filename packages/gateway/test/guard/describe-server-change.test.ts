import { expect, it } from 'vitest'
import { describeServerChange } from '../../src/guard/pins/describe-server-change.js'

it.each([
  [['TOKEN'], 'such as a secret argument.'],
  [['NODE_OPTIONS', 'TOKEN'], 'such as a secret argument, or the value of "NODE_OPTIONS", which decides which code is loaded.'],
])('a change that is not shown may be in a variable that loads code: %j', (env, words) => {
  const facts = { kind: 'child' as const, command: 'node', args: ['server.js'], env, files: [] }
  expect(describeServerChange('notes', facts, facts)).toMatch(
    new RegExp(`^This is not the server that was accepted as notes: .*${words.replaceAll('.', '\\.')}$`),
  )
})
