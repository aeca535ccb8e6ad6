import type { JsonObject } from 'toolwire'
import { type ToolState, toolStates } from '../../guard/tools/tool-view.js'
import { HttpRefusal, type Route, type RouteRequest, type RouteResponse, route, withAuditRecord } from '../route.js'
import { shape } from '../shape.js'
import { tryTool } from './try-tool.js'

const basis = shape.oneOf('claimed', 'trusted', 'unsaid')

const tool = shape.object({
  ...shape.each(shape.text, 'name', 'server', 'ownName', 'title?', 'description?', 'hash'),
  inputSchema: shape.anyObject,
  'outputSchema?': shape.any,
  'annotations?': shape.describe(shape.anyObject, 'Annotations from its server, trusted or not'),
  hints: shape.describe(shape.anyObject, 'Effective hints'),
  claims: shape.describe(shape.anyObject, 'The annotations under the names of hints, with the overrides of the operator'),
  hintBasis: {
    ...shape.object({ readOnly: basis, destructive: basis, idempotent: basis, openWorld: basis }),
    description: 'For each hint: claimed by an untrusted server, trusted, or unsaid',
  },
  waiting: shape.describe(shape.boolean, 'Withheld until its definition is accepted'),
  sets: shape.list(shape.text),
  trusted: shape.boolean,
  state: shape.oneOf(...toolStates),
  'firstSeenAt?': shape.time,
  'accepted?': shape.object({ at: shape.time, 'by?': shape.describe(shape.text, 'Absent if its server was new') }),
  decision: shape.object({
    anyone: shape.describe(shape.oneOf('allow', 'ask', 'deny', 'depends'), 'What the rules decide for calls of any caller'),
    'rule?': shape.describe(shape.text, 'The rule that decides a call without arguments by a program on this machine'),
    'ground?': shape.describe(
      shape.oneOf('claim'),
      'No rule decides: allowed because its server claims, unverified, that it only reads',
    ),
  }),
  'scopes?': shape.list(shape.text),
})

const given = shape.body({ 'arguments?': shape.anyObject })

const result = shape.object({
  content: shape.list(shape.anyObject),
  isError: shape.boolean,
  'structuredContent?': shape.any,
  '_meta?': shape.anyObject,
})

export const toolRoutes: readonly Route[] = [
  route('GET /tools', 'Offered tools, tools that wait for acceptance, and tools that are off', {
    query: { server: 'Only tools of this server' },
    reply: shape.object({ tools: shape.list(tool) }),
    async handle({ control, query }) {
      const server = query.get('server')
      return { json: { tools: (await control.toolDetails()).filter((tool) => server === null || tool.server === server) } }
    },
  }),
  route(
    'POST /tools/{name}/state',
    'Switches a tool on; off, so that calls are refused; or hidden, so that it is not listed and callable only if a rule names it. The state survives a restart',
    {
      body: shape.body({ state: shape.oneOf(...toolStates) }),
      answers: { 404: 'The tool does not exist' },
      reply: shape.object({ name: shape.text, state: shape.oneOf(...toolStates) }),
      async handle(ask) {
        const { control, body, caller } = ask
        const { name, server } = existing(ask)
        const state = body.state as ToolState // guaranteed by the schema of the body
        const about = { server, tool: name, state }
        const isSet = await withAuditRecord(ask, 'set-tool-state', about, () => control.setToolState(name, state, caller.id))
        if (!isSet) throw noTool(name)
        return { json: { name, state } }
      },
    },
  ),
  route('POST /tools/{name}/call', 'Calls a tool, as any client would: guarded and recorded', {
    body: given,
    answers: { 404: 'The tool does not exist', 422: 'The call was refused or failed' },
    reply: result,
    async handle(ask) {
      const { control, caller, signal, body } = ask
      // The schema of the body guarantees an object.
      return { json: await control.call(existing(ask).name, (body.arguments ?? {}) as JsonObject, { caller, signal }) }
    },
  }),
  route(
    'POST /tools/{name}/try',
    'Calls a tool in the same way and reports its progress as server-sent events: `began` with the id of the call, `progress`, `question` to be answered at /calls/{call}/answers/{question}, and in the end `result` or `refused`. Closing the stream cancels the call',
    {
      body: given,
      type: 'text/event-stream',
      answers: { 404: 'The tool does not exist' },
      handle(ask): RouteResponse {
        existing(ask)
        return { type: 'text/event-stream', pieces: tryTool(ask) }
      },
    },
  ),
]

function existing({ control, params: { name = '' } }: RouteRequest): { readonly name: string; readonly server: string } {
  const found = control.tools().find((tool) => tool.name === name)
  if (!found) throw noTool(name)
  return found
}

const noTool = (name: string) => new HttpRefusal(404, `There is no tool "${name.slice(0, 128)}"`)
