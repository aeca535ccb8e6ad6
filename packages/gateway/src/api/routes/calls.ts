import { runRecorded } from '../../store/audit/record-action.js'
import { HttpRefusal, type Route, type RouteRequest } from '../route.js'
import {
  anyObjectSchema,
  bodySchema,
  booleanSchema,
  enumSchema,
  integerSchema,
  listSchema,
  nonNegativeSchema,
  objectSchema,
  textSchema,
  timestampSchema,
} from '../schemas/schemas.js'
import type { TrialAnswer } from '../tool-trials.js'

const call = objectSchema({
  id: integerSchema,
  tool: textSchema,
  server: textSchema,
  caller: textSchema,
  'unverified?': {
    ...booleanSchema,
    description: 'The caller is unverified: it sent no credentials, and appears to be on this machine',
  },
  'set?': textSchema,
  arguments: anyObjectSchema,
  'cut?': { ...booleanSchema, description: 'The arguments are cut' },
  startedAt: timestampSchema,
  'progress?': objectSchema({ progress: nonNegativeSchema, 'total?': nonNegativeSchema, 'message?': textSchema }),
  'waiting?': { ...textSchema, description: 'Id of the pending approval' },
})

const answer = bodySchema({
  action: enumSchema('accept', 'decline', 'cancel'),
  'content?': { ...anyObjectSchema, description: 'The answer, by the schema of the question' },
})

/** The calls that are under way. */
export const callRoutes: readonly Route[] = [
  {
    method: 'GET',
    path: '/calls',
    summary: 'Running calls, oldest first',
    reply: objectSchema({ calls: listSchema(call) }),
    handle: ({ control }) => ({ json: { calls: control.calls() } }),
  },
  {
    method: 'DELETE',
    path: '/calls/{id}',
    summary: 'Cancels a call: the caller gets an error, and the server a cancellation',
    answers: { 404: 'No such call is running' },
    reply: objectSchema({ id: integerSchema, cancelled: enumSchema(true) }),
    async handle({ control, params: { id = '' }, caller }) {
      const found = control.calls().find((one) => String(one.id) === id)
      if (!found) throw new HttpRefusal(404, `No call ${id.slice(0, 20)} is running`)
      const about = { call: found.id, tool: found.tool, caller: found.caller }
      await runRecorded(control.log, { by: caller.id, act: 'cancel-call', about }, () => control.cancel(found.id, caller.id))
      return { json: { id: found.id, cancelled: true } }
    },
  },
  {
    method: 'POST',
    path: '/calls/{call}/answers/{question}',
    summary: 'Answers a question of a tool that is being tried: see /tools/{name}/try',
    body: answer,
    answers: { 404: 'No such question is open for you', 422: 'The answer is not valid; see `issues`' },
    reply: objectSchema({ question: textSchema, action: textSchema }),
    handle: answered,
  },
]

async function answered({ control, params: { call = '', question = '' }, body, caller }: RouteRequest) {
  const given = body as unknown as TrialAnswer // the schema of the body has said that it is one
  const asking = control.tries.find(Number(call), caller)
  const act = { by: caller.id, act: 'answer-question', about: { call, question, action: given.action } }
  if (!asking?.hasQuestion(question)) throw new HttpRefusal(404, 'No such question is open for you')
  const issues = asking.issuesOf(question, given)
  if (issues.length > 0) throw new HttpRefusal(422, 'The answer does not fit the schema of the question', { issues })
  await runRecorded(control.log, act, () => asking.answer(question, given))
  return { json: { question, action: given.action } }
}
