// The management API: checks the caller, finds the route, and sends the result or the error.
import type { IncomingMessage, ServerResponse } from 'node:http'
import { type JsonObject, RpcError } from 'toolwire'
import { CallFailure, ToolCallError } from 'toolwire/client'
import { schemas } from 'toolwire/relay'
import { compile } from 'toolwire/schema'
import { adminScope, isManager } from '../access/authenticate.js'
import type { Control } from './control/control.js'
import { apiBase, openapi } from './openapi.js'
import { readBody } from './read-body.js'
import { sendJson, sendStream } from './responses.js'
import { HttpRefusal, type Manager, type Route, route } from './route.js'
import { approvalRoutes } from './routes/approvals.js'
import { auditRoutes } from './routes/audit.js'
import { callRoutes } from './routes/calls.js'
import { eventRoutes } from './routes/events.js'
import { keyRoutes } from './routes/keys.js'
import { pinRoutes } from './routes/pins.js'
import { policyRoutes } from './routes/policy.js'
import { serverRoutes } from './routes/servers.js'
import { statsRoutes } from './routes/stats.js'
import { toolRoutes } from './routes/tools.js'

/** Handles requests of callers who may manage the gateway. */
export type ManagementApi = (req: IncomingMessage, res: ServerResponse, caller: Manager) => Promise<void>

type ReadyRoute = { readonly route: Route; readonly parts: readonly string[]; readonly check: (body: JsonObject) => void }

/** Further routes come before the description, which lists all of them. */
export function managementApi(control: Control, others: readonly Route[] = []): ManagementApi {
  const routes: Route[] = [
    ...serverRoutes,
    ...toolRoutes,
    ...callRoutes,
    ...statsRoutes,
    ...approvalRoutes,
    ...pinRoutes,
    ...auditRoutes,
    ...eventRoutes,
    ...policyRoutes,
    ...keyRoutes,
    ...others,
    route('GET /openapi.json', 'This API, as OpenAPI', { handle: () => ({ json: openapi(routes, control.version) }) }),
  ]
  const ready = routes.map(readyRoute)
  return async (req, res, caller) => {
    try {
      await handleRequest({ req, res, caller }, ready, control)
    } catch (thrown) {
      const { status, message, details } = refusalOf(thrown)
      const { retryAfterMs } = details
      if (typeof retryAfterMs === 'number') res.setHeader('retry-after', Math.ceil(retryAfterMs / 1_000))
      sendJson(res, status, { error: message, ...details })
    }
  }
}

type IncomingApiRequest = { readonly req: IncomingMessage; readonly res: ServerResponse; readonly caller: Manager }

async function handleRequest(
  { req, res, caller }: IncomingApiRequest,
  all: readonly ReadyRoute[],
  control: Control,
): Promise<void> {
  const url = new URL(req.url ?? '/', 'http://gateway')
  const parts = url.pathname.slice(apiBase.length).split('/')
  const matching = all.filter((one) => matchesPath(one.parts, parts))
  const found = matching.find(({ route }) => route.method === req.method)
  if (!found?.route.forCallers && !isManager(caller)) throw new HttpRefusal(403, `This needs a key with the scope ${adminScope}`)
  if (matching.length === 0) throw new HttpRefusal(404, `There is no such route. See ${apiBase}/openapi.json`)
  if (!found) throw new HttpRefusal(405, `This route accepts ${matching.map(({ route }) => route.method).join(' or ')}`)
  const body = await readBody(req)
  // The session or the key may have ended while the body arrived.
  if (res.writableEnded || res.destroyed) return
  found.check(body)
  const disconnected = new AbortController()
  res.once('close', () => disconnected.abort(new Error('The client has closed the connection')))
  const lastEventId = req.headers['last-event-id']?.toString()
  const request = { params: paramsOf(found.parts, parts), query: url.searchParams, body, lastEventId }
  const response = await found.route.handle({ control, caller, ...request, signal: disconnected.signal })
  if ('pieces' in response) await sendStream(res, response)
  else sendJson(res, response.status ?? 200, response.json)
}

function readyRoute(route: Route): ReadyRoute {
  const compiled = route.body && compile(route.body, { limits: schemas.trustedLimits })
  return {
    route,
    parts: route.path.split('/'),
    check(body) {
      const [issue] = compiled?.check(body) ?? []
      if (issue) throw new HttpRefusal(400, `${issue.path} ${issue.message}`.trim())
    },
  }
}

/** Routes without parameters come before those with parameters, so the first match is right. */
const matchesPath = (wanted: readonly string[], given: readonly string[]): boolean =>
  wanted.length === given.length && wanted.every((part, at) => (part.startsWith('{') ? given[at] !== '' : part === given[at]))

function paramsOf(wanted: readonly string[], given: readonly string[]): { [name: string]: string } {
  const pairs = wanted.flatMap((part, at) => (part.startsWith('{') ? [[part.slice(1, -1), decodePart(given[at] ?? '')]] : []))
  return Object.fromEntries(pairs)
}

function decodePart(part: string): string {
  try {
    return decodeURIComponent(part)
  } catch {
    throw new HttpRefusal(400, 'The path is not a valid URL')
  }
}

function refusalOf(thrown: unknown): HttpRefusal {
  if (thrown instanceof HttpRefusal) return thrown
  const message = thrown instanceof Error ? thrown.message : String(thrown)
  if (thrown instanceof CallFailure || thrown instanceof RpcError) return new HttpRefusal(422, message, { code: thrown.code })
  // The arguments do not fit the tool, or the server reports an error for a tool that it does not list.
  if (thrown instanceof ToolCallError) return new HttpRefusal(422, message)
  // An operator may see internal errors.
  return new HttpRefusal(500, message)
}
