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
    description: 'Nobody has verified the caller: it has shown nothing, and seems to be on this machine',
  },
  'set?': textSchema,
  arguments: anyObjectSchema,
  'cut?': { ...booleanSchema, description: 'There is more of the arguments than is shown' },
  startedAt: timestampSchema,
  'progress?': objectSchema({ progress: nonNegativeSchema, 'total?': nonNegativeSchema, 'message?': textSchema }),
  'waiting?': { ...textSchema, description: 'Id of the approval that it waits for' },
})

const answer = bodySchema({
  action: enumSchema('accept', 'decline', 'cancel'),
  'content?': { ...anyObjectSchema, description: 'What was asked for, as the schema of the question says' },
})

/** The calls that are under way. */
export const callRoutes: readonly Route[] = [
  {
    method: 'GET',
    path: '/calls',
    summary: 'The calls that are under way, oldest first',
    reply: objectSchema({ calls: listSchema(call) }),
    handle: ({ control }) => ({ json: { calls: control.calls() } }),
  },
  {
    method: 'DELETE',
    path: '/calls/{id}',
    summary: 'Cancels a call: the caller gets an error, and the server a cancellation',
    answers: { 404: 'No such call is under way' },
    reply: objectSchema({ id: integerSchema, cancelled: enumSchema(true) }),
    async handle({ control, params: { id = '' }, caller }) {
      const found = control.calls().find((one) => String(one.id) === id)
      if (!found) throw new HttpRefusal(404, `No call ${id.slice(0, 20)} is under way`)
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
    answers: { 404: 'You are asked no such question', 422: 'The answer does not fit: `issues` says where' },
    reply: objectSchema({ question: textSchema, action: textSchema }),
    handle: answered,
  },
]

async function answered({ control, params: { call = '', question = '' }, body, caller }: RouteRequest) {
  const given = body as unknown as TrialAnswer // the schema of the body has said that it is one
  const asking = control.tries.find(Number(call), caller)
  const act = { by: caller.id, act: 'answer-question', about: { call, question, action: given.action } }
  if (!asking?.hasQuestion(question)) throw new HttpRefusal(404, 'You are asked no such question')
  const issues = asking.issuesOf(question, given)
  if (issues.length > 0) throw new HttpRefusal(422, 'The answer does not fit what is asked for', { issues })
  await runRecorded(control.log, act, () => asking.answer(question, given))
  return { json: { question, action: given.action } }
}
