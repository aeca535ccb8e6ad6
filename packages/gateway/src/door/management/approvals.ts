import type { JsonObject } from 'toolwire'
import type { Always, ApprovalAnswer } from 'toolwire/guard'
import { recorded } from '../recorded.js'
import { approval, danger, decision, decisions, reason } from './approval-shapes.js'
import { type Ask, numberIn, Refused, type Route } from './route.js'
import { anyObject, body, listOf, oneOf, shape, text, textOrNull, whole } from './shapes.js'

const usualPage = 50
const mostOnPage = 1_000

/** Calls that wait for somebody to say yes or no, and what was said for more than one call. */
export const approvalRoutes: readonly Route[] = [
  {
    method: 'GET',
    path: '/approvals',
    summary:
      'The calls that wait for a decision: the ten most dangerous of each caller first; with `past`, also what became of others',
    query: {
      limit: `How many; ${usualPage} if not said, 1,000 at most`,
      after: 'The `next` of the page before',
      tool: 'Only calls of this tool',
      server: 'Only calls of tools of this server',
      caller: 'Only calls of this caller',
      past: 'How many that are over to show',
    },
    reply: shape({
      total: { ...whole, description: 'How many wait in all' },
      groups: listOf(shape({ server: textOrNull, tool: text, caller: text, count: whole, danger })),
      approvals: listOf(approval),
      'next?': text,
      'past?': listOf(anyObject),
    }),
    handle: listed,
  },
  {
    method: 'GET',
    path: '/approvals/{id}',
    summary: 'One call that waits for a decision',
    answers: { 404: 'No call waits under this id' },
    reply: approval,
    async handle({ control, params: { id = '' } }) {
      const found = await control.approvals.find(id)
      if (!found) throw new Refused(404, 'No call waits under this id')
      return { json: found }
    },
  },
  {
    method: 'POST',
    path: '/approvals/deny-all',
    summary: 'Denies all calls that wait, or all of these. There is no way to allow them all',
    body: body({ 'tool?': text, 'server?': text, 'caller?': text, 'reason?': reason }),
    reply: shape({ denied: whole }),
    handle: deniedAll,
  },
  {
    method: 'POST',
    path: '/approvals/{id}',
    summary: 'Decides about a call that waits. The first decision counts',
    body: decision,
    answers: {
      403: 'Nobody allows their own call',
      404: 'There is no such request',
      409: 'It was decided before, or its time is over: `decision` or `state` says what. Or it is not what was shown, or would not be made any more: `changes` says why',
    },
    reply: shape({ id: text, decision: decisions, by: text }),
    handle: decided,
  },
  {
    method: 'GET',
    path: '/grants',
    summary: 'What was allowed for more than one call, and still holds',
    reply: shape({ grants: listOf(anyObject) }),
    handle: async ({ control }) => ({ json: { grants: await control.store.grants.list() } }),
  },
  {
    method: 'DELETE',
    path: '/grants/{id}',
    summary: 'Takes back what was allowed for more than one call',
    answers: { 404: 'There is no such grant' },
    reply: shape({ id: text, revoked: oneOf(true) }),
    async handle({ control: { store, log }, params: { id = '' }, caller }) {
      if (!(await store.grants.list()).some((grant) => grant.id === id)) throw new Refused(404, 'There is no such grant')
      await recorded(log, { by: caller.id, act: 'revoke-grant', about: { id } }, () => store.grants.revoke(id))
      return { json: { id, revoked: true } }
    },
  },
]

async function listed({ control: { approvals }, query }: Ask) {
  const limit = Math.min(Math.max(1, numberIn(query, 'limit') ?? usualPage), mostOnPage)
  const after = query.get('after')
  const page = await approvals.page({ ...amongIn(query), limit, ...(after !== null && { after }) })
  if (!page) throw new Refused(400, '"after" is the `next` of a page')
  const past = numberIn(query, 'past')
  return { json: { ...page, ...(past && { past: await approvals.past(Math.min(past, 1_000)) }) } }
}

const amongIn = (query: URLSearchParams): { [name: string]: string } =>
  Object.fromEntries(['tool', 'server', 'caller'].flatMap((name) => [[name, query.get(name)]]).filter(([, value]) => value))

async function deniedAll({ control, body, caller }: Ask) {
  // The schema of the body has said that these are texts.
  const { reason, ...which } = body as { tool?: string; server?: string; caller?: string; reason?: string }
  const verdict = { by: caller.id, ...(reason !== undefined && { why: reason }) }
  const act = { by: caller.id, act: 'deny-all', about: body }
  return { json: { denied: await recorded(control.log, act, () => control.approvals.denyAll(which, verdict)) } }
}

async function decided({ control, params: { id = '' }, body, caller }: Ask) {
  if (body.decision === 'allow') await refuseChanged(control, id)
  const digest = typeof body.hash === 'string' ? { digest: body.hash } : {}
  const how = await control.decisions.decide(id, answerOf(body), { by: caller.id, behind: caller.openedBy, ...digest })
  if (!how) throw new Refused(404, 'No call waits under this id')
  if (how.done) return { json: { id, decision: body.decision, by: caller.id } }
  const { done: _, ...found } = how
  if (found.state === 'own') throw new Refused(403, ownCall(caller))
  if (found.state === 'other') throw new Refused(409, 'This is not what was shown; look at it again')
  throw new Refused(409, `It is decided already: ${('decision' in found && found.decision) || found.state}`, { ...found })
}

const ownCall = ({ id, openedBy = id }: Ask['caller']): string =>
  `This call was made by ${openedBy}, and nobody allows their own call. Another person decides: with a key of their own, in the console, or by toolwire approve in a terminal of the gateway's account`

async function refuseChanged({ approvals }: Ask['control'], id: string): Promise<void> {
  const changes = (await approvals.find(id))?.changes
  if (!changes) return
  const said = `The ${changes.join(' and the ')} changed since this was asked, so the call would not be made; deny it`
  throw new Refused(409, said, { changes: [...changes] })
}

/** The parameters of the route have a schema, which this follows. */
function answerOf({ decision, reason, always }: JsonObject): ApprovalAnswer {
  if (decision !== 'allow') return typeof reason === 'string' ? { deny: reason } : 'deny'
  return always === undefined ? 'allow' : { allow: true, always: always as unknown as Always }
}
