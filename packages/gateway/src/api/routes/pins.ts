import { isSameDefinition, matchesDefinition } from '../../guard/pins/match-definition.js'
import { runRecorded } from '../../store/audit/record-action.js'
import type { DefinitionRef } from '../control/control.js'
import { HttpRefusal, type Route, type RouteRequest } from '../route.js'
import {
  anyObjectSchema,
  bodySchema,
  booleanSchema,
  listSchema,
  objectSchema,
  textSchema,
  timestampSchema,
} from '../schemas/schemas.js'

const definition = bodySchema({ server: textSchema, tool: textSchema, hash: textSchema, 'serverIdentity?': textSchema })
const mostAtOnce = 1_000

const advice = { kind: textSchema, path: textSchema, excerpt: textSchema, why: textSchema, holds: booleanSchema }

const waiting = {
  'server?': textSchema,
  'serverIdentity?': { ...textSchema, description: 'The identity of the server, independent of its name' },
  'anotherServer?': objectSchema({ 'accepted?': textSchema }),
  'serverChange?': {
    ...textSchema,
    description: 'Says in words that this is another server than the one accepted under its name',
  },
  tool: textSchema,
  hash: textSchema,
  'before?': { ...anyObjectSchema, description: 'As it was accepted, whole; none where the tool is new' },
  after: { ...anyObjectSchema, description: 'As it is now, whole' },
  changes: listSchema(objectSchema({ path: textSchema, 'before?': textSchema, 'after?': textSchema })),
  advice: listSchema(objectSchema(advice)),
}

const done = objectSchema({
  server: textSchema,
  tool: textSchema,
  hash: textSchema,
  'serverIdentity?': textSchema,
  by: textSchema,
})
const finding = objectSchema({ server: textSchema, tools: listSchema(textSchema), ...advice })

/** The definitions of tools that are accepted, and those that wait to be. */
export const pinRoutes: readonly Route[] = [
  {
    method: 'GET',
    path: '/pins',
    summary: 'The accepted definitions of tools, and those that wait, with what has changed and what a scan found',
    reply: objectSchema({
      accepted: listSchema(
        objectSchema({
          'server?': textSchema,
          'serverIdentity?': textSchema,
          tool: textSchema,
          hash: textSchema,
          definition: anyObjectSchema,
          at: timestampSchema,
          'by?': textSchema,
        }),
      ),
      waiting: listSchema(objectSchema(waiting)),
      findings: {
        ...listSchema(finding),
        description: 'What a scan says of those that wait: once for each server, with the tools; `holds` is why it is kept back',
      },
      refused: listSchema(objectSchema({ ...waiting, refusedAt: timestampSchema, by: textSchema })),
    }),
    handle: async ({ control }) => ({ json: await control.pins() }),
  },
  {
    method: 'POST',
    path: '/pins/accept-many',
    summary: 'Accepts the definitions that have been shown under these hashes, and no others',
    body: bodySchema({ definitions: { ...listSchema(definition), maxItems: mostAtOnce } }),
    reply: objectSchema({
      accepted: listSchema(done),
      stale: { ...listSchema(definition), description: 'Those that wait under this hash no more: they may have changed since' },
    }),
    handle: async (ask) => ({ json: await acceptMany(ask) }),
  },
  settling('accept', 'Accepts the definition of a tool that has been shown under this hash'),
  settling(
    'refuse',
    'Keeps a definition back and asks nobody about it any more; another definition of the tool is asked about again',
  ),
]

function settling(act: 'accept' | 'refuse', summary: string): Route {
  return {
    method: 'POST',
    path: `/pins/${act}`,
    summary,
    body: definition,
    answers: { 409: 'No definition with this hash waits: it may have changed again' },
    reply: done,
    async handle(ask) {
      const about = await keptBack(ask)
      const { control, caller } = ask
      await runRecorded(control.log, { by: caller.id, act: `${act}-pin`, about }, () => control[act](about, caller.id))
      return { json: { ...about, by: caller.id } }
    },
  }
}

type Accepted = DefinitionRef & { readonly by: string }

/** One after the other, each with a record of its own. */
async function acceptMany(ask: RouteRequest): Promise<{ accepted: Accepted[]; stale: DefinitionRef[] }> {
  const { caller } = ask
  // The schema of the body has said that it is one.
  const definitions = ask.body.definitions as unknown as readonly DefinitionRef[]
  const accepted: Accepted[] = []
  const stale: DefinitionRef[] = []
  for (const about of definitions) {
    const isAccepted = await acceptOne(ask, about)
    if (isAccepted) accepted.push({ ...about, by: caller.id })
    else stale.push(about)
  }
  return { accepted, stale }
}

/** False where it has changed in the meantime, or somebody has refused it. */
async function acceptOne({ control, caller }: RouteRequest, about: DefinitionRef): Promise<boolean> {
  if (!control.waits(about)) return false
  await runRecorded(control.log, { by: caller.id, act: 'accept-pin', about }, () => control.accept(about, caller.id))
  return true
}

/** What was refused may still be accepted. */
async function keptBack({ control, body }: RouteRequest): Promise<DefinitionRef> {
  // The schema of the body has said that it is one.
  const { server, tool, hash, serverIdentity } = body as DefinitionRef
  const about = { server, tool, hash, ...(serverIdentity !== undefined && { serverIdentity }) }
  const { waiting, refused } = await control.pins()
  if ([...waiting, ...refused].some((drift) => matchesDefinition(drift, about))) return about
  const name = tool.slice(0, 128)
  if ([...waiting, ...refused].some((drift) => isSameDefinition(drift, about)))
    throw new HttpRefusal(
      409,
      `${name} is offered by another server than the one that was accepted: look at it, and send its serverIdentity`,
    )
  throw new HttpRefusal(409, `No definition of ${name} with this hash waits to be accepted`)
}
