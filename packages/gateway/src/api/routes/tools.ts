import type { JsonObject } from 'toolwire'
import { type ToolState, toolStates } from '../../guard/tools/tool-view.js'
import { runRecorded } from '../../store/audit/record-action.js'
import { HttpRefusal, type Route, type RouteRequest, type RouteResponse } from '../route.js'
import {
  anyObjectSchema,
  anySchema,
  bodySchema,
  booleanSchema,
  enumSchema,
  listSchema,
  objectSchema,
  textSchema,
  timestampSchema,
} from '../schemas/schemas.js'
import { tryTool } from './try-tool.js'

const basis = enumSchema('claimed', 'trusted', 'unsaid')

const tool = objectSchema({
  name: textSchema,
  server: textSchema,
  ownName: textSchema,
  'title?': textSchema,
  'description?': textSchema,
  inputSchema: anyObjectSchema,
  'outputSchema?': anySchema,
  'annotations?': { ...anyObjectSchema, description: 'Annotations from its server, trusted or not' },
  hints: { ...anyObjectSchema, description: 'Effective hints' },
  claims: {
    ...anyObjectSchema,
    description: 'The annotations under the names of hints, with the overrides of the operator',
  },
  hintBasis: {
    ...objectSchema({ readOnly: basis, destructive: basis, idempotent: basis, openWorld: basis }),
    description: 'For each hint: claimed by an untrusted server, trusted, or unsaid',
  },
  hash: textSchema,
  waiting: { ...booleanSchema, description: 'Withheld until its definition is accepted' },
  sets: listSchema(textSchema),
  trusted: booleanSchema,
  state: enumSchema(...toolStates),
  'firstSeenAt?': timestampSchema,
  'accepted?': objectSchema({ at: timestampSchema, 'by?': { ...textSchema, description: 'Absent if its server was new' } }),
  decision: objectSchema({
    anyone: { ...enumSchema('allow', 'ask', 'deny', 'depends'), description: 'What the rules decide for calls of any caller' },
    'rule?': { ...textSchema, description: 'The rule that decides a call without arguments by a program on this machine' },
    'ground?': {
      ...enumSchema('claim'),
      description: 'No rule decides: allowed because its server claims, unverified, that it only reads',
    },
  }),
  'scopes?': listSchema(textSchema),
})

const given = bodySchema({ 'arguments?': anyObjectSchema })

const result = objectSchema({
  content: listSchema(anyObjectSchema),
  isError: booleanSchema,
  'structuredContent?': anySchema,
  '_meta?': anyObjectSchema,
})

/** The tools that callers are offered. */
export const toolRoutes: readonly Route[] = [
  {
    method: 'GET',
    path: '/tools',
    summary: 'Offered tools, tools that wait for acceptance, and tools that are off',
    query: { server: 'Only tools of this server' },
    reply: objectSchema({ tools: listSchema(tool) }),
    async handle({ control, query }) {
      const server = query.get('server')
      const tools = await control.toolDetails()
      return { json: { tools: tools.filter((tool) => server === null || tool.server === server) } }
    },
  },
  {
    method: 'POST',
    path: '/tools/{name}/state',
    summary:
      'Switches a tool on; off, so that calls are refused; or hidden, so that it is not listed and callable only if a rule names it. The state survives a restart',
    body: bodySchema({ state: enumSchema(...toolStates) }),
    answers: { 404: 'The tool does not exist' },
    reply: objectSchema({ name: textSchema, state: enumSchema(...toolStates) }),
    async handle(ask) {
      const { control, body, caller } = ask
      const { name, server } = existing(ask)
      const state = body.state as ToolState // the schema of the body has said that it is one
      const act = { by: caller.id, act: 'set-tool-state', about: { server, tool: name, state } }
      await runRecorded(control.log, act, () => control.setToolState(name, state, caller.id))
      return { json: { name, state } }
    },
  },
  {
    method: 'POST',
    path: '/tools/{name}/call',
    summary: 'Calls a tool, as any client would: guarded and recorded',
    body: given,
    answers: { 404: 'The tool does not exist', 422: 'The call was refused or failed' },
    reply: result,
    async handle(ask) {
      const { name } = existing(ask)
      const { control, caller, signal } = ask
      // The schema of the body has said that it is an object.
      const args = (ask.body.arguments ?? {}) as JsonObject
      return { json: await control.call(name, args, { caller, signal }) }
    },
  },
  {
    method: 'POST',
    path: '/tools/{name}/try',
    summary:
      'Calls a tool in the same way and reports its progress as server-sent events: `began` with the id of the call, `progress`, `question` to be answered at /calls/{call}/answers/{question}, and in the end `result` or `refused`. Closing the stream cancels the call',
    body: given,
    type: 'text/event-stream',
    answers: { 404: 'The tool does not exist' },
    handle(ask): RouteResponse {
      existing(ask)
      return { type: 'text/event-stream', pieces: tryTool(ask) }
    },
  },
]

function existing({ control, params: { name = '' } }: RouteRequest): { readonly name: string; readonly server: string } {
  const found = control.tools().find((tool) => tool.name === name)
  if (!found) throw new HttpRefusal(404, `There is no tool "${name.slice(0, 128)}"`)
  return found
}
