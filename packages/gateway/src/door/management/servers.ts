import type { Control, StatusView } from '../control.js'
import { recorded } from '../recorded.js'
import { Refused, type Route } from './route.js'
import { anyObject, flag, listOf, moment, oneOf, shape, text, whole } from './shapes.js'

const server = shape({
  id: text,
  target: anyObject,
  state: text,
  'why?': { ...text, description: 'Why it is not ready' },
  since: moment,
  'revision?': text,
  restarts: whole,
  'retryInMs?': whole,
  trusted: flag,
  tools: whole,
  'heldBack?': {
    ...text,
    description: 'Why its tools are offered to nobody: a name in the config or in the rules fits none of them',
  },
  'login?': anyObject,
})

const statusOf = async (control: Control): Promise<StatusView> => ({
  version: control.version,
  ...control.health(),
  callsUnderWay: control.underWay(),
  approvalsPending: (await control.approvals.page({ limit: 1 }))?.total ?? 0,
  auditHead: control.log?.head,
  config: control.config(),
})

/** How everything is doing, and the servers behind the gateway. */
export const serverRoutes: readonly Route[] = [
  {
    method: 'GET',
    path: '/status',
    summary: 'How the gateway is doing, and the config in force without its secrets',
    reply: shape({
      version: text,
      status: oneOf('ok', 'degraded', 'failing', 'draining'),
      troubles: listOf(text),
      upstreams: anyObject,
      audit: shape({ on: flag, ok: flag }),
      callsUnderWay: whole,
      approvalsPending: whole,
      'auditHead?': shape({ sequence: whole, hash: text }),
      config: anyObject,
    }),
    handle: async ({ control }) => ({ json: await statusOf(control) }),
  },
  {
    method: 'GET',
    path: '/servers',
    summary: 'The servers behind the gateway, and what of them is offered to nobody',
    reply: shape({
      servers: listOf(server),
      withheld: listOf(shape({ upstream: text, kind: text, name: text, why: text })),
    }),
    handle: ({ control }) => ({ json: { servers: control.servers(), withheld: control.withheld() } }),
  },
  {
    method: 'POST',
    path: '/servers/{id}/restart',
    summary: 'Ends the connection to a server, and opens it anew',
    answers: { 404: 'There is no such server' },
    reply: shape({ server }),
    async handle({ control, params: { id = '' }, caller }) {
      const act = { by: caller.id, act: 'restart', about: { server: id } }
      if (!control.servers().some((server) => server.id === id)) throw new Refused(404, `There is no server "${id}"`)
      await recorded(control.log, act, () => control.restart(id))
      return { json: { server: control.servers().find((server) => server.id === id) } }
    },
  },
]
