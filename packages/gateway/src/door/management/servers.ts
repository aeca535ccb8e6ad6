import type { JsonObject } from 'toolwire'
import { recorded } from '../recorded.js'
import { Refused, type Route } from './route.js'

/** How everything is doing, and the servers behind the gateway. */
export const serverRoutes: readonly Route[] = [
  {
    method: 'GET',
    path: '/status',
    summary: 'How the gateway is doing, and the config in force without its secrets',
    handle: async ({ control }) => ({
      json: {
        version: control.version,
        ...control.health(),
        callsUnderWay: control.underWay(),
        approvalsPending: (await control.store.approvals.pending()).length,
        auditHead: control.log?.head,
        config: control.config(),
      },
    }),
  },
  {
    method: 'GET',
    path: '/servers',
    summary: 'The servers behind the gateway, and what of them is offered to nobody',
    handle: ({ control }) => ({ json: { servers: control.servers(), withheld: control.withheld() } }),
  },
  {
    method: 'POST',
    path: '/servers/{id}/restart',
    summary: 'Ends the connection to a server, and opens it anew',
    answers: { 404: 'There is no such server' },
    async handle({ control, params: { id = '' }, caller }) {
      const act = { by: caller.id, act: 'restart', about: { server: id } }
      if (!control.servers().some((server) => server.id === id)) throw new Refused(404, `There is no server "${id}"`)
      await recorded(control.log, act, () => control.restart(id))
      return { json: { server: control.servers().find((server) => server.id === id) } }
    },
  },
  {
    method: 'GET',
    path: '/tools',
    summary: 'The tools that callers are offered, and those that wait to be accepted',
    query: { server: 'Only those of this server' },
    handle({ control, query }) {
      const server = query.get('server')
      return { json: { tools: control.tools().filter((tool) => server === null || tool.server === server) } }
    },
  },
  {
    method: 'POST',
    path: '/tools/{name}/call',
    summary: 'Calls a tool, as any client would: guarded and recorded',
    body: { type: 'object', properties: { arguments: { type: 'object' } }, additionalProperties: false },
    answers: { 404: 'There is no such tool', 422: 'The call was refused, or the protocol failed' },
    async handle({ control, params: { name = '' }, body, caller, signal }) {
      if (!control.tools().some((tool) => tool.name === name)) throw new Refused(404, `There is no tool "${name}"`)
      // The schema of the body has said that it is an object.
      const args = (body.arguments ?? {}) as JsonObject
      return { json: await control.call(name, args, { caller, signal }) }
    },
  },
]
