import type { WrittenCall } from 'toolwire/rules'
import type { Route } from './route.js'

const written = {
  type: 'object',
  description: 'A call as it would be made, to a tool by the name that callers know',
  properties: {
    tool: { type: 'string' },
    arguments: { type: 'object' },
    caller: { type: ['string', 'object'] },
    server: { type: 'string' },
    hints: { type: 'object' },
    tags: { type: 'array', items: { type: 'string' } },
  },
  required: ['tool'],
  additionalProperties: false,
}

/** The rules in force. */
export const policyRoutes: readonly Route[] = [
  {
    method: 'GET',
    path: '/policy',
    summary: 'The rules in force, where they come from, and why a newer text of them cannot be used',
    handle: ({ control }) => ({ json: control.policy() }),
  },
  {
    method: 'POST',
    path: '/policy/explain',
    summary: 'What the rules say about a call, and why, without making it',
    body: written,
    handle({ control, body }) {
      const tool = control.tools().find(({ name }) => name === body.tool)
      const known = tool && { server: tool.server, hints: tool.hints }
      return { json: control.explain({ ...known, ...body } as unknown as WrittenCall) } // the schema has said that it is one
    },
  },
]
