import { StoreFailure } from '../../store/store-failure.js'
import type { Control } from '../control/control.js'
import { HttpRefusal, type Route, route, withAuditRecord } from '../route.js'
import { shape } from '../shape.js'

const server = shape.object({
  ...shape.each(shape.text, 'id', 'state', 'revision?'),
  target: shape.anyObject,
  'why?': shape.describe(shape.text, 'Why it is not ready'),
  since: shape.time,
  ...shape.each(shape.integer, 'restarts', 'retryInMs?', 'tools'),
  trusted: shape.boolean,
  'heldBack?': shape.describe(shape.text, 'Why its tools are withheld: a name in the config or the rules matches none of them'),
  'login?': shape.anyObject,
})

/** The state of the gateway: health, running calls, the end of the log, and the config without its secrets. */
export type StatusView = Awaited<ReturnType<typeof statusOf>>

const statusOf = async (control: Control) => ({
  version: control.version,
  ...control.health(),
  callsUnderWay: control.underWay(),
  ...(await pendingOf(control)),
  auditHead: control.log?.head,
  config: control.config(),
})

/** The number is unknown while the store is unavailable; the health status reports that. */
async function pendingOf({ approvals }: Control): Promise<{ readonly approvalsPending?: number }> {
  try {
    return { approvalsPending: await approvals.count() }
  } catch (thrown) {
    if (thrown instanceof StoreFailure) return {}
    throw thrown
  }
}

export const serverRoutes: readonly Route[] = [
  route('GET /status', 'The state of the gateway, and its config without secrets', {
    reply: shape.object({
      version: shape.text,
      status: shape.oneOf('ok', 'degraded', 'failing', 'draining'),
      troubles: shape.list(shape.text),
      upstreams: shape.anyObject,
      'configVersion?': shape.object(shape.each(shape.integer, 'inForce', 'newest')),
      audit: shape.object({
        ...shape.each(shape.boolean, 'on', 'ok'),
        'spool?': shape.object(shape.each(shape.integer, 'records', 'bytes')),
      }),
      callsUnderWay: shape.integer,
      'approvalsPending?': shape.describe(shape.integer, 'Missing while the store cannot be reached'),
      'auditHead?': shape.object({ sequence: shape.integer, hash: shape.text }),
      config: shape.anyObject,
    }),
    handle: async ({ control }) => ({ json: await statusOf(control) }),
  }),
  route('GET /servers', 'The servers behind the gateway, and their withheld tools', {
    reply: shape.object({
      servers: shape.list(server),
      withheld: shape.list(shape.object({ upstream: shape.text, kind: shape.text, name: shape.text, why: shape.text })),
    }),
    handle: ({ control }) => ({ json: { servers: control.servers(), withheld: control.withheld() } }),
  }),
  route('POST /servers/{id}/restart', 'Closes the connection to a server, and opens a new one', {
    answers: { 404: 'The server does not exist', 409: 'The server waits for trust, so there is nothing to restart' },
    reply: shape.object({ server }),
    async handle(ask) {
      const { control, params } = ask
      const { id = '' } = params
      const found = control.servers().find((server) => server.id === id)
      const noServer = () => new HttpRefusal(404, `There is no server "${id}"`)
      if (!found) throw noServer()
      if (found.state === 'waits for trust') throw new HttpRefusal(409, `The server ${id} is ${found.why}`)
      const isRestarted = await withAuditRecord(ask, 'restart', { server: id }, () => control.restart(id))
      if (!isRestarted) throw noServer()
      return { json: { server: control.servers().find((server) => server.id === id) } }
    },
  }),
]
