// The decision about a tool, shown before the tool is called.
import { Rulebook } from 'toolwire/rules'
import { expect, it } from 'vitest'
import { outlookFor } from '../../src/guard/tools/tool-outlook.js'

it.each([
  [{ received: 'private' }, 'depends'],
  [{ arguments: { to: 'ada' } }, 'depends'],
  [{ caller: 'ada' }, 'depends'],
  [{ tool: 'send' }, 'deny'],
] as const)('a rule about %j makes the decision: %s', (when, outlook) => {
  const labels = [{ name: 'private', when: { tool: 'read' } }]
  const book = new Rulebook({ default: 'allow', labels, rules: [{ name: 'no', when, decision: 'deny' }] })
  expect(outlookFor(book, { tool: 'send', hints: {} }).outlook).toBe(outlook)
})
