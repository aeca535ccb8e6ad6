import type { JsonObject } from 'toolwire'
import { recorded } from '../recorded.js'
import { type ToolState, toolStates } from '../tool-view.js'
import { type Ask, Refused, type Route, type Told } from './route.js'
import { anyObject, anything, body, flag, listOf, moment, oneOf, shape, text } from './shapes.js'
import { trying } from './trying.js'

const basis = oneOf('claimed', 'trusted', 'unsaid')

const tool = shape({
  name: text,
  server: text,
  ownName: text,
  'title?': text,
  'description?': text,
  inputSchema: anyObject,
  'outputSchema?': anything,
  'annotations?': { ...anyObject, description: 'What its server claims, believed or not' },
  hints: { ...anyObject, description: 'What is believed of it' },
  claims: { ...anyObject, description: 'The same claims by the names that hints have, with what the operator says instead' },
  hintBasis: {
    ...shape({ readOnly: basis, destructive: basis, idempotent: basis, openWorld: basis }),
    description: 'Of each hint: claimed by a server that is not trusted, and so unverified; trusted; or unsaid',
  },
  hash: text,
  waiting: { ...flag, description: 'Kept back until somebody accepts its definition' },
  sets: listOf(text),
  trusted: flag,
  state: oneOf(...toolStates),
  'firstSeenAt?': moment,
  'accepted?': shape({ at: moment, 'by?': { ...text, description: 'Nobody where its server was new' } }),
  decision: shape({
    anyone: { ...oneOf('allow', 'ask', 'deny', 'depends'), description: 'What the rules make of calls, whoever makes them' },
    'rule?': { ...text, description: 'The one that decides about a call without arguments by a program on this machine' },
    'ground?': {
      ...oneOf('claim'),
      description: 'No rule decides: allowed because its server says, unverified, that it only reads',
    },
  }),
  'scopes?': listOf(text),
})

const given = body({ 'arguments?': anyObject })

const result = shape({
  content: listOf(anyObject),
  isError: flag,
  'structuredContent?': anything,
  '_meta?': anyObject,
})

/** The tools that callers are offered. */
export const toolRoutes: readonly Route[] = [
  {
    method: 'GET',
    path: '/tools',
    summary: 'The tools that callers are offered, those that wait to be accepted, and those that are switched off',
    query: { server: 'Only those of this server' },
    reply: shape({ tools: listOf(tool) }),
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
      'Offers a tool; switches it off, so that calls are refused; or hides it, so that it is listed to nobody and called only where a rule that names it lets it be. It holds at once, and after a restart',
    body: body({ state: oneOf(...toolStates) }),
    answers: { 404: 'There is no such tool' },
    reply: shape({ name: text, state: oneOf(...toolStates) }),
    async handle(ask) {
      const { control, body, caller } = ask
      const { name, server } = existing(ask)
      const state = body.state as ToolState // the schema of the body has said that it is one
      const act = { by: caller.id, act: 'set-tool-state', about: { server, tool: name, state } }
      await recorded(control.log, act, () => control.setToolState(name, state, caller.id))
      return { json: { name, state } }
    },
  },
  {
    method: 'POST',
    path: '/tools/{name}/call',
    summary: 'Calls a tool, as any client would: guarded and recorded',
    body: given,
    answers: { 404: 'There is no such tool', 422: 'The call was refused, or the protocol failed' },
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
      'Calls a tool the same way and tells how it goes on, as server-sent events: `began` with the id of the call, `progress`, `question` to be answered at /calls/{call}/answers/{question}, and in the end `result` or `refused`. Whoever stops listening has given the call up',
    body: given,
    type: 'text/event-stream',
    answers: { 404: 'There is no such tool' },
    handle(ask): Told {
      existing(ask)
      return { type: 'text/event-stream', pieces: trying(ask) }
    },
  },
]

function existing({ control, params: { name = '' } }: Ask): { readonly name: string; readonly server: string } {
  const found = control.tools().find((tool) => tool.name === name)
  if (!found) throw new Refused(404, `There is no tool "${name.slice(0, 128)}"`)
  return found
}
