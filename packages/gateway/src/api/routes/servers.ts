import { runRecorded } from '../../store/audit/record-action.js'
import type { Control, StatusView } from '../control/control.js'
import { HttpRefusal, type Route } from '../route.js'
import {
  anyObjectSchema,
  booleanSchema,
  enumSchema,
  integerSchema,
  listSchema,
  objectSchema,
  textSchema,
  timestampSchema,
} from '../schemas/schemas.js'

const server = objectSchema({
  id: textSchema,
  target: anyObjectSchema,
  state: textSchema,
  'why?': { ...textSchema, description: 'Why it is not ready' },
  since: timestampSchema,
  'revision?': textSchema,
  restarts: integerSchema,
  'retryInMs?': integerSchema,
  trusted: booleanSchema,
  tools: integerSchema,
  'heldBack?': {
    ...textSchema,
    description: 'Why its tools are withheld: a name in the config or the rules matches none of them',
  },
  'login?': anyObjectSchema,
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
    summary: 'The state of the gateway, and its config without secrets',
    reply: objectSchema({
      version: textSchema,
      status: enumSchema('ok', 'degraded', 'failing', 'draining'),
      troubles: listSchema(textSchema),
      upstreams: anyObjectSchema,
      audit: objectSchema({ on: booleanSchema, ok: booleanSchema }),
      callsUnderWay: integerSchema,
      approvalsPending: integerSchema,
      'auditHead?': objectSchema({ sequence: integerSchema, hash: textSchema }),
      config: anyObjectSchema,
    }),
    handle: async ({ control }) => ({ json: await statusOf(control) }),
  },
  {
    method: 'GET',
    path: '/servers',
    summary: 'The servers behind the gateway, and their withheld tools',
    reply: objectSchema({
      servers: listSchema(server),
      withheld: listSchema(objectSchema({ upstream: textSchema, kind: textSchema, name: textSchema, why: textSchema })),
    }),
    handle: ({ control }) => ({ json: { servers: control.servers(), withheld: control.withheld() } }),
  },
  {
    method: 'POST',
    path: '/servers/{id}/restart',
    summary: 'Closes the connection to a server, and opens a new one',
    answers: { 404: 'The server does not exist' },
    reply: objectSchema({ server }),
    async handle({ control, params: { id = '' }, caller }) {
      const act = { by: caller.id, act: 'restart', about: { server: id } }
      if (!control.servers().some((server) => server.id === id)) throw new HttpRefusal(404, `There is no server "${id}"`)
      await runRecorded(control.log, act, () => control.restart(id))
      return { json: { server: control.servers().find((server) => server.id === id) } }
    },
  },
]
