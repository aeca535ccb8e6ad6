import { type DefinitionRef, isSameDefinition, matchesDefinition } from '../../guard/pins/pin-views.js'
import { runRecorded } from '../../store/audit/record-action.js'
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
    description: 'A sentence if another server has taken the accepted name',
  },
  tool: textSchema,
  hash: textSchema,
  'before?': { ...anyObjectSchema, description: 'The accepted definition; none if the tool is new' },
  after: { ...anyObjectSchema, description: 'The current definition' },
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
    summary: 'Accepted and waiting definitions, with changes and scan findings',
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
        description: 'Scan findings of waiting definitions, once per server with the tools; `holds` marks a reason to withhold',
      },
      refused: listSchema(objectSchema({ ...waiting, refusedAt: timestampSchema, by: textSchema })),
    }),
    handle: async ({ control }) => ({ json: await control.pins() }),
  },
  {
    method: 'POST',
    path: '/pins/accept-many',
    summary: 'Accepts exactly the definitions with these hashes',
    body: bodySchema({ definitions: { ...listSchema(definition), maxItems: mostAtOnce } }),
    reply: objectSchema({
      accepted: listSchema(done),
      stale: {
        ...listSchema(definition),
        description: 'Definitions that no longer wait under this hash, because they may have changed',
      },
    }),
    handle: async (ask) => ({ json: await acceptMany(ask) }),
  },
  settling('accept', 'Accepts the definition with this hash'),
  settling('refuse', 'Refuses a definition for good; another definition of the tool can be accepted later'),
]

function settling(act: 'accept' | 'refuse', summary: string): Route {
  return {
    method: 'POST',
    path: `/pins/${act}`,
    summary,
    body: definition,
    answers: { 409: 'No definition with this hash waits. It may have changed again' },
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
    throw new HttpRefusal(409, `${name} comes from another server than the accepted one. Review it, and send its serverIdentity`)
  throw new HttpRefusal(409, `No definition of ${name} with this hash waits to be accepted`)
}
