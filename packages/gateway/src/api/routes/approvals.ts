import type { JsonObject } from 'toolwire'
import type { ApprovalAnswer } from 'toolwire/guard'
import type { approvals } from 'toolwire/relay'
import { changedSinceRequest } from '../../approvals/decide-approvals.js'
import { foundOr404, HttpRefusal, queryNumber, type Route, type RouteRequest, route, withAuditRecord } from '../route.js'
import { shape } from '../shape.js'
import { approvalSchema, dangerSchema, decisionNames, decisionSchema, reasonSchema } from './approval-schemas.js'

const defaultPageSize = 50
const maxPageSize = 1_000

export const approvalRoutes: readonly Route[] = [
  route('GET /approvals', 'Pending calls, the ten most dangerous of each caller first; with `past`, also past decisions', {
    query: {
      limit: `Maximum number of calls; ${defaultPageSize} by default, 1,000 at most`,
      after: 'The `next` of the previous page',
      tool: 'Only calls of this tool',
      server: 'Only calls of tools of this server',
      caller: 'Only calls of this caller',
      past: 'Number of past decisions to show',
    },
    reply: shape.object({
      total: shape.describe(shape.integer, 'Number of pending calls'),
      groups: shape.list(
        shape.object({
          server: shape.nullableText,
          tool: shape.text,
          caller: shape.text,
          count: shape.integer,
          danger: dangerSchema,
        }),
      ),
      approvals: shape.list(approvalSchema),
      'next?': shape.text,
      'past?': shape.list(shape.anyObject),
    }),
    handle: listPending,
  }),
  route('GET /approvals/{id}', 'One pending call', {
    answers: { 404: 'No pending call has this id' },
    reply: approvalSchema,
    handle: async ({ control, params: { id = '' } }) => ({
      json: foundOr404(await control.approvals.find(id), 'No pending call has this id'),
    }),
  }),
  route('POST /approvals/deny-all', 'Denies all pending calls, or all of these. Allowing all at once is not possible', {
    body: shape.body({ 'tool?': shape.text, 'server?': shape.text, 'caller?': shape.text, 'reason?': reasonSchema }),
    reply: shape.object({ denied: shape.integer }),
    handle: denyAll,
  }),
  route('POST /approvals/{id}', 'Decides a pending call. The first decision counts', {
    body: decisionSchema,
    answers: {
      403: 'Callers may not approve their own calls',
      404: 'The request does not exist',
      409: 'The call was decided before or has expired; see `decision` or `state`. Or the call differs from the one shown, or would no longer be made; see `changes`',
    },
    reply: shape.object({ id: shape.text, decision: decisionNames, by: shape.text }),
    handle: decide,
  }),
  route('GET /grants', 'The standing approvals in force', {
    reply: shape.object({ grants: shape.list(shape.anyObject) }),
    handle: async ({ control }) => ({ json: { grants: await control.store.grants.list() } }),
  }),
  route('DELETE /grants/{id}', 'Revokes a standing approval', {
    answers: { 404: 'The grant does not exist' },
    reply: shape.object({ id: shape.text, revoked: shape.oneOf(true) }),
    async handle(ask) {
      const { id = '' } = ask.params
      const { grants } = ask.control.store
      const exists = () => grants.list().some((grant) => grant.id === id)
      const revoke = () => exists() && grants.revoke(id).then(() => true)
      if (!exists() || !(await withAuditRecord(ask, 'revoke-grant', { id }, revoke)))
        throw new HttpRefusal(404, 'The grant does not exist')
      return { json: { id, revoked: true } }
    },
  }),
]

async function listPending({ control: { approvals }, query }: RouteRequest) {
  const limit = Math.min(Math.max(1, queryNumber(query, 'limit') ?? defaultPageSize), maxPageSize)
  const after = query.get('after')
  const page = await approvals.page({ ...filterIn(query), limit, ...(after !== null && { after }) })
  if (!page) throw new HttpRefusal(400, '"after" must be the `next` of a page')
  const past = queryNumber(query, 'past')
  return { json: { ...page, ...(past && { past: await approvals.past(Math.min(past, 1_000)) }) } }
}

const filterIn = (query: URLSearchParams): { [name: string]: string } =>
  Object.fromEntries(['tool', 'server', 'caller'].flatMap((name) => [[name, query.get(name)]]).filter(([, value]) => value))

async function denyAll(ask: RouteRequest) {
  const { control, body, caller } = ask
  // The schema of the body guarantees texts.
  const { reason, ...which } = body as { tool?: string; server?: string; caller?: string; reason?: string }
  const verdict = { by: caller.id, ...(reason !== undefined && { why: reason }) }
  return { json: { denied: await withAuditRecord(ask, 'deny-all', body, () => control.approvals.denyAll(which, verdict)) } }
}

async function decide({ control, params: { id = '' }, body, caller }: RouteRequest) {
  const digest = typeof body.hash === 'string' ? { digest: body.hash } : {}
  const how = await control.decisions.decide(id, answerOf(body), { by: caller.id, behind: caller.openedBy, ...digest })
  if (!how) throw new HttpRefusal(404, 'No pending call has this id')
  if (how.done) return { json: { id, decision: body.decision, by: caller.id } }
  const { done: _, ...found } = how
  if (found.state === 'own') throw new HttpRefusal(403, ownCall(caller))
  if (found.state === 'unreadable') throw new HttpRefusal(409, 'The arguments of the call cannot be read. Deny it')
  if (found.state === 'changed') throw new HttpRefusal(409, changedSinceRequest(found.changes), { changes: [...found.changes] })
  if (found.state === 'other') throw new HttpRefusal(409, 'The call differs from the one shown. Review it again')
  throw new HttpRefusal(409, `The call is decided already: ${('decision' in found && found.decision) || found.state}`, {
    ...found,
  })
}

const ownCall = ({ id, openedBy = id }: RouteRequest['caller']): string =>
  `This call was made by ${openedBy}, and callers may not approve their own calls. Another person can decide with their own key, in the console, or with toolwire approve in a terminal of the gateway's account`

/** Follows the schema of the route's body. */
function answerOf({ decision, reason, always }: JsonObject): ApprovalAnswer {
  if (decision !== 'allow') return typeof reason === 'string' ? { deny: reason } : 'deny'
  return always === undefined ? 'allow' : { allow: true, always: always as unknown as approvals.StandingApproval }
}
