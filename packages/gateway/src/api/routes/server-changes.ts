import type { JsonObject } from 'toolwire'
import { type ServerChange, ServerChangeFailure, type ServerEdits } from '../../config/editing/server-edits.js'
import { foundOr404, HttpRefusal, type Route, type RouteRequest, route, withAuditRecord } from '../route.js'
import { shape } from '../shape.js'

const longest = 200
const name = { type: 'string', minLength: 1, maxLength: longest, description: 'Name in the config' }
const entry = shape.describe(shape.anyObject, 'An entry of mcp.json: a command with args and env, or a url with headers')
const confirm = shape.describe(shape.text, 'The `confirm` of the plan; without it nothing is written')
const plan = {
  ...shape.each(shape.text, 'file', 'diff', 'confirm'),
  'target?': shape.describe(shape.anyObject, 'The program to start, or the address of the server'),
  risks: shape.list(shape.text),
}
const reply = shape.object({ ...plan, done: shape.boolean, 'backup?': shape.describe(shape.text, 'Path of the backup') })
const answers = {
  400: 'The config would not be valid; see the message',
  409: 'The file or the change differs from the plan, or the gateway has no config file',
}

/**
 * Changes to the servers in the config. A new command line is code that runs here, so each change takes two steps: a plan, and its
 * execution with the plan's `confirm`. These routes exist only on the port of the console, for signed-in browsers.
 */
export const serverChangeRoutes = (edits: ServerEdits): readonly Route[] => [
  route('GET /servers/{id}/entry', 'The entry of a server in the config, with placeholders for secrets', {
    answers: { 404: 'The server is not in the config', 409: answers[409] },
    reply: shape.object({ name: shape.text, file: shape.text, entry: shape.anyObject }),
    async handle({ params: { id = '' } }) {
      const none = `The config has no server "${id.slice(0, longest)}". It may come from another file`
      return { json: foundOr404(await changeProblem(edits.entry(id)), none) }
    },
  }),
  route('POST /servers', 'Adds a server to the config', {
    body: shape.body({ name, entry, 'confirm?': confirm }),
    answers,
    reply,
    handle: (ask) => applyChange(edits, ask, { what: 'add', name: String(ask.body.name), entry: entryIn(ask) }),
  }),
  route('PUT /servers/{id}', 'Changes a server in the config', {
    body: shape.body({ entry, 'confirm?': confirm }),
    answers,
    reply,
    handle: (ask) => applyChange(edits, ask, { what: 'change', name: ask.params.id ?? '', entry: entryIn(ask) }),
  }),
  route('POST /servers/{id}/remove', 'Removes a server and its settings from the config', {
    body: shape.body({ 'confirm?': confirm }),
    answers,
    reply,
    handle: (ask) => applyChange(edits, ask, { what: 'remove', name: ask.params.id ?? '' }),
  }),
]

/** The schema of the body guarantees an object. */
const entryIn = ({ body }: RouteRequest) => body.entry as JsonObject

async function applyChange(edits: ServerEdits, ask: RouteRequest, change: ServerChange) {
  const { confirm } = ask.body
  const planned = await changeProblem(edits.plan(change))
  if (confirm === undefined) return { json: { ...planned, done: false } }
  if (confirm !== planned.confirm) throw new HttpRefusal(409, configChanged)
  const { file, target } = planned
  const about = { server: change.name, file, ...(target && { target }) }
  const done = await withAuditRecord(ask, `${change.what}-server`, about, async () => {
    const applied = await changeProblem(edits.apply(change, planned.confirm))
    // A change that failed must not be recorded as done.
    if (!applied) throw new HttpRefusal(409, configChanged)
    return applied
  })
  return { json: { ...done, done: true } }
}

const configChanged = 'The config has changed. Review the change again'
const statuses = { unfit: 400, elsewhere: 409 } as const

function changeProblem<T>(work: Promise<T>): Promise<T> {
  return work.catch((thrown: unknown) => {
    throw thrown instanceof ServerChangeFailure ? new HttpRefusal(statuses[thrown.why], thrown.message) : thrown
  })
}
