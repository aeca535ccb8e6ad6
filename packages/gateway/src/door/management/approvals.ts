import type { JsonObject } from 'toolwire'
import type { Always, ApprovalAnswer, AskedElsewhere } from 'toolwire/guard'
import { recorded } from '../recorded.js'
import { numberIn, Refused, type Route } from './route.js'

const decision = {
  type: 'object',
  properties: {
    decision: { enum: ['allow', 'deny'] },
    reason: { type: 'string', maxLength: 1_000, description: 'Told to the caller, with a no' },
    always: {
      type: 'object',
      description: 'Allows later calls of the tool, too: for 8 hours at most, and with arguments that fit this schema',
      properties: { forMs: { type: 'integer', minimum: 1, maximum: 28_800_000 }, arguments: { type: 'object' } },
      required: ['forMs'],
      additionalProperties: false,
    },
  },
  required: ['decision'],
  additionalProperties: false,
} satisfies JsonObject

/** Calls that wait for somebody to say yes or no, and what was said for more than one call. */
export const approvalRoutes: readonly Route[] = [
  {
    method: 'GET',
    path: '/approvals',
    summary: 'The calls that wait for a decision, oldest first; with `past`, also what became of others',
    query: { past: 'How many that are over to show' },
    async handle({ control: { store }, query }) {
      const past = numberIn(query, 'past')
      return {
        json: {
          approvals: (await store.approvals.pending(1_000)).map(shown),
          ...(past && {
            past: (await store.approvals.history(Math.min(past, 1_000))).map(({ asked, is, settledAt }) => ({
              ...shown(asked),
              ...is,
              settledAt,
            })),
          }),
        },
      }
    },
  },
  {
    method: 'POST',
    path: '/approvals/{id}',
    summary: 'Decides about a call that waits. The first decision counts',
    body: decision,
    answers: {
      404: 'There is no such request',
      409: 'It was decided before, or its time is over: `decision` or `state` says what',
    },
    async handle({ control, params: { id = '' }, body, caller }) {
      const decided = await control.decisions.decide(id, answerOf(body), caller.id)
      if (!decided) throw new Refused(404, 'No call waits under this id')
      if (decided.done) return { json: { id, decision: body.decision, by: caller.id } }
      const { done: _, ...how } = decided
      throw new Refused(409, `It is decided already: ${how.decision ?? how.state}`, how)
    },
  },
  {
    method: 'GET',
    path: '/grants',
    summary: 'What was allowed for more than one call, and still holds',
    handle: async ({ control }) => ({ json: { grants: await control.store.grants.list() } }),
  },
  {
    method: 'DELETE',
    path: '/grants/{id}',
    summary: 'Takes back what was allowed for more than one call',
    answers: { 404: 'There is no such grant' },
    async handle({ control: { store, log }, params: { id = '' }, caller }) {
      if (!(await store.grants.list()).some((grant) => grant.id === id)) throw new Refused(404, 'There is no such grant')
      await recorded(log, { by: caller.id, act: 'revoke-grant', about: { id } }, () => store.grants.revoke(id))
      return { json: { id, revoked: true } }
    },
  },
]

/** The parameters of the route have a schema, which this follows. */
function answerOf({ decision, reason, always }: JsonObject): ApprovalAnswer {
  if (decision !== 'allow') return typeof reason === 'string' ? { deny: reason } : 'deny'
  return always === undefined ? 'allow' : { allow: true, always: always as unknown as Always }
}

/** What a person needs to see. */
const shown = ({ server, ...asked }: AskedElsewhere) => ({ server: server ?? null, ...asked })
