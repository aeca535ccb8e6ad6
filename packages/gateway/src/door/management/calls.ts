import { recorded } from '../recorded.js'
import type { TryAnswer } from '../tries.js'
import { type Ask, Refused, type Route } from './route.js'
import { amount, anyObject, body, flag, listOf, moment, oneOf, shape, text, whole } from './shapes.js'

const call = shape({
  id: whole,
  tool: text,
  server: text,
  caller: text,
  'unverified?': {
    ...flag,
    description: 'Nobody has verified the caller: it has shown nothing, and seems to be on this machine',
  },
  'set?': text,
  arguments: anyObject,
  'cut?': { ...flag, description: 'There is more of the arguments than is shown' },
  startedAt: moment,
  'progress?': shape({ progress: amount, 'total?': amount, 'message?': text }),
  'waiting?': { ...text, description: 'Id of the approval that it waits for' },
})

const answer = body({
  action: oneOf('accept', 'decline', 'cancel'),
  'content?': { ...anyObject, description: 'What was asked for, as the schema of the question says' },
})

/** The calls that are under way. */
export const callRoutes: readonly Route[] = [
  {
    method: 'GET',
    path: '/calls',
    summary: 'The calls that are under way, oldest first',
    reply: shape({ calls: listOf(call) }),
    handle: ({ control }) => ({ json: { calls: control.calls() } }),
  },
  {
    method: 'DELETE',
    path: '/calls/{id}',
    summary: 'Puts an end to a call: whoever made it hears an error, and its server that nobody waits any more',
    answers: { 404: 'No such call is under way' },
    reply: shape({ id: whole, cancelled: oneOf(true) }),
    async handle({ control, params: { id = '' }, caller }) {
      const found = control.calls().find((one) => String(one.id) === id)
      if (!found) throw new Refused(404, `No call ${id.slice(0, 20)} is under way`)
      const about = { call: found.id, tool: found.tool, caller: found.caller }
      await recorded(control.log, { by: caller.id, act: 'cancel-call', about }, () => control.cancel(found.id, caller.id))
      return { json: { id: found.id, cancelled: true } }
    },
  },
  {
    method: 'POST',
    path: '/calls/{call}/answers/{question}',
    summary: 'Answers what a tool asks whoever tries it: see /tools/{name}/try',
    body: answer,
    answers: { 404: 'You are asked no such question', 422: 'The answer does not fit: `issues` says where' },
    reply: shape({ question: text, action: text }),
    handle: answered,
  },
]

async function answered({ control, params: { call = '', question = '' }, body, caller }: Ask) {
  const given = body as unknown as TryAnswer // the schema of the body has said that it is one
  const asking = control.tries.find(Number(call), caller)
  const act = { by: caller.id, act: 'answer-question', about: { call, question, action: given.action } }
  if (!asking?.asks(question)) throw new Refused(404, 'You are asked no such question')
  const issues = asking.issuesOf(question, given)
  if (issues.length > 0) throw new Refused(422, 'The answer does not fit what is asked for', { issues })
  await recorded(control.log, act, () => asking.answer(question, given))
  return { json: { question, action: given.action } }
}
