import type { JsonObject } from 'toolwire'
import { type ServerChange, ServerChangeFailure, type ServerEdits, type ServerPlan } from '../../config/editing/server-edits.js'
import { runRecorded } from '../../store/audit/record-action.js'
import { HttpRefusal, type Route, type RouteRequest } from '../route.js'
import { anyObjectSchema, bodySchema, booleanSchema, listSchema, objectSchema, textSchema } from '../schemas/schemas.js'

const longest = 200
const name = { type: 'string', minLength: 1, maxLength: longest, description: 'Name in the config' }
const entry = {
  ...anyObjectSchema,
  description: 'An entry of mcp.json: a command with args and env, or a url with headers',
}
const confirm = { ...textSchema, description: 'The `confirm` of the plan; without it nothing is written' }
const plan = {
  file: textSchema,
  diff: textSchema,
  'target?': { ...anyObjectSchema, description: 'The program to start, or the address of the server' },
  risks: listSchema(textSchema),
  confirm: textSchema,
}
const reply = objectSchema({
  ...plan,
  done: booleanSchema,
  'backup?': { ...textSchema, description: 'Path of the backup' },
})
const answers = {
  400: 'The config would not be valid; see the message',
  409: 'The file or the change differs from the plan, or the gateway has no config file',
}

/**
 * Servers in the config. A new command line is code that runs here, so each change takes two steps: what it comes to, and with the
 * `confirm` of that, doing it. These stand on the port of the console alone, for browsers that were let in.
 */
export const serverChangeRoutes = (edits: ServerEdits): readonly Route[] => [
  {
    method: 'GET',
    path: '/servers/{id}/entry',
    summary: 'The entry of a server in the config, with placeholders for secrets',
    answers: { 404: 'The server is not in the config', 409: answers[409] },
    reply: objectSchema({ name: textSchema, file: textSchema, entry: anyObjectSchema }),
    async handle({ params: { id = '' } }) {
      const found = await changeProblem(edits.entry(id))
      if (!found) throw new HttpRefusal(404, `The config has no server "${id.slice(0, longest)}". It may come from another file`)
      return { json: found }
    },
  },
  {
    method: 'POST',
    path: '/servers',
    summary: 'Adds a server to the config',
    body: bodySchema({ name, entry, 'confirm?': confirm }),
    answers,
    reply,
    handle: (ask) => made(edits, ask, { what: 'add', name: String(ask.body.name), entry: entryIn(ask) }),
  },
  {
    method: 'PUT',
    path: '/servers/{id}',
    summary: 'Changes a server in the config',
    body: bodySchema({ entry, 'confirm?': confirm }),
    answers,
    reply,
    handle: (ask) => made(edits, ask, { what: 'change', name: ask.params.id ?? '', entry: entryIn(ask) }),
  },
  {
    method: 'POST',
    path: '/servers/{id}/remove',
    summary: 'Removes a server and its settings from the config',
    body: bodySchema({ 'confirm?': confirm }),
    answers,
    reply,
    handle: (ask) => made(edits, ask, { what: 'remove', name: ask.params.id ?? '' }),
  },
]

/** The schema of the body has said that it is one. */
const entryIn = ({ body }: RouteRequest) => body.entry as JsonObject

async function made(edits: ServerEdits, { control, caller, body }: RouteRequest, change: ServerChange) {
  const planned = await changeProblem(edits.plan(change))
  if (body.confirm === undefined) return { json: { ...planned, done: false } }
  if (body.confirm !== planned.confirm) throw new HttpRefusal(409, overtaken)
  const act = { by: caller.id, act: `${change.what}-server`, about: aboutOf(change, planned) }
  const done = await runRecorded(control.log, act, async () => {
    const applied = await changeProblem(edits.apply(change, planned.confirm))
    // What was not done is not recorded as done.
    if (!applied) throw new HttpRefusal(409, overtaken)
    return applied
  })
  return { json: { ...done, done: true } }
}

const aboutOf = ({ name }: ServerChange, { file, target }: ServerPlan) => ({ server: name, file, ...(target && { target }) })

const overtaken = 'The config has changed. Review the change again'
const statuses = { unfit: 400, elsewhere: 409 } as const

function changeProblem<T>(work: Promise<T>): Promise<T> {
  return work.catch((thrown: unknown) => {
    throw thrown instanceof ServerChangeFailure ? new HttpRefusal(statuses[thrown.why], thrown.message) : thrown
  })
}
