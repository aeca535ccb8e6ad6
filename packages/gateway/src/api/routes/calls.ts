import { HttpRefusal, type Route, type RouteRequest, route, withAuditRecord } from '../route.js'
import { shape } from '../shape.js'
import type { TrialAnswer } from '../tool-trials.js'
import { unverifiedSchema } from './approval-schemas.js'

const call = shape.object({
  id: shape.describe(
    shape.integer,
    'Counts up from a random number, so that after a restart, or at another replica, it hardly names another call',
  ),
  ...shape.each(shape.text, 'tool', 'server', 'caller', 'set?'),
  'unverified?': unverifiedSchema,
  arguments: shape.anyObject,
  'cut?': shape.describe(shape.boolean, 'The arguments are truncated'),
  startedAt: shape.time,
  'progress?': shape.object({ progress: shape.number, 'total?': shape.number, 'message?': shape.text }),
  'waiting?': shape.describe(shape.text, 'Id of the pending approval'),
})

const answer = shape.body({
  action: shape.oneOf('accept', 'decline', 'cancel'),
  'content?': shape.describe(shape.anyObject, 'The answer, by the schema of the question'),
})

export const callRoutes: readonly Route[] = [
  route('GET /calls', 'Running calls, oldest first', {
    reply: shape.object({ calls: shape.list(call) }),
    handle: ({ control }) => ({ json: { calls: control.calls() } }),
  }),
  route('DELETE /calls/{id}', 'Cancels a call: the caller gets an error, and the server a cancellation', {
    answers: { 404: 'No such call is running' },
    reply: shape.object({ id: shape.integer, cancelled: shape.oneOf(true) }),
    async handle(ask) {
      const { control, params, caller } = ask
      const { id = '' } = params
      const found = control.findCall(Number(id))
      const ended = () => new HttpRefusal(404, `No call ${id.slice(0, 20)} is running`)
      if (!found) throw ended()
      const about = { call: found.id, tool: found.tool, caller: found.caller }
      const isCancelled = await withAuditRecord(ask, 'cancel-call', about, () => control.cancel(found.id, caller.id))
      if (!isCancelled) throw ended()
      return { json: { id: found.id, cancelled: true } }
    },
  }),
  route('POST /calls/{call}/answers/{question}', 'Answers a question of a tool that is being tried: see /tools/{name}/try', {
    body: answer,
    answers: { 404: 'No such question is open for you', 422: 'The answer is not valid; see `issues`' },
    reply: shape.object({ question: shape.text, action: shape.text }),
    handle: answerQuestion,
  }),
]

async function answerQuestion(ask: RouteRequest) {
  const { control, params, body, caller } = ask
  const { call = '', question = '' } = params
  const given = body as unknown as TrialAnswer // guaranteed by the schema of the body
  const asking = control.tries.find(Number(call), caller)
  const notOpen = () => new HttpRefusal(404, 'No such question is open for you')
  if (!asking?.hasQuestion(question)) throw notOpen()
  const issues = asking.issuesOf(question, given)
  if (issues.length > 0) throw new HttpRefusal(422, 'The answer does not fit the schema of the question', { issues })
  const about = { call, question, action: given.action }
  const isAnswered = await withAuditRecord(ask, 'answer-question', about, () => asking.answer(question, given))
  if (!isAnswered) throw notOpen()
  return { json: { question, action: given.action } }
}
