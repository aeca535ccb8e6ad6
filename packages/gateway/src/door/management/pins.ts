import { recorded } from '../recorded.js'
import { Refused, type Route } from './route.js'

const definition = {
  type: 'object',
  properties: { server: { type: 'string' }, tool: { type: 'string' }, hash: { type: 'string' } },
  required: ['server', 'tool', 'hash'],
  additionalProperties: false,
}

/** The definitions of tools that are accepted, and those that wait to be. */
export const pinRoutes: readonly Route[] = [
  {
    method: 'GET',
    path: '/pins',
    summary: 'The accepted definitions of tools, and those that wait, with what has changed and what a scan found',
    handle: async ({ control }) => ({ json: await control.pins() }),
  },
  {
    method: 'POST',
    path: '/pins/accept',
    summary: 'Accepts the definition of a tool that has been shown under this hash',
    body: definition,
    answers: { 409: 'No definition with this hash waits: it may have changed again' },
    async handle({ control, body, caller }) {
      // The schema of the body has said that they are.
      const { server, tool, hash } = body as { server: string; tool: string; hash: string }
      const { waiting } = await control.pins()
      if (!waiting.some((drift) => drift.server === server && drift.tool === tool && drift.hash === hash))
        throw new Refused(409, `No definition of ${tool} with this hash waits to be accepted`)
      const act = { by: caller.id, act: 'accept-pin', about: { server, tool, hash } }
      await recorded(control.log, act, () => control.accept(server, tool, hash))
      return { json: { server, tool, hash, by: caller.id } }
    },
  },
]
