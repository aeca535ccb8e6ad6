import { type DefinitionRef, isSameDefinition, matchesDefinition } from '../../guard/pins/pin-views.js'
import { HttpRefusal, type Route, type RouteRequest, route, withAuditRecord } from '../route.js'
import { shape } from '../shape.js'

const definition = shape.body({ server: shape.text, tool: shape.text, hash: shape.text, 'serverIdentity?': shape.text })
const maxAtOnce = 1_000

const advice = { kind: shape.text, path: shape.text, excerpt: shape.text, why: shape.text, holds: shape.boolean }

const waiting = {
  ...shape.each(shape.text, 'server?', 'tool', 'hash'),
  'serverIdentity?': shape.describe(shape.text, 'The identity of the server, independent of its name'),
  'anotherServer?': shape.object({ 'accepted?': shape.text }),
  'serverChange?': shape.describe(shape.text, 'A sentence if another server has taken the accepted name'),
  'before?': shape.describe(shape.anyObject, 'The accepted definition; none if the tool is new'),
  after: shape.describe(shape.anyObject, 'The current definition'),
  changes: shape.list(shape.object({ path: shape.text, 'before?': shape.text, 'after?': shape.text })),
  advice: shape.list(shape.object(advice)),
}

const done = shape.object({ ...shape.each(shape.text, 'server', 'tool', 'hash', 'serverIdentity?', 'by') })
const finding = shape.object({ server: shape.text, tools: shape.list(shape.text), ...advice })

export const pinRoutes: readonly Route[] = [
  route('GET /pins', 'Accepted and waiting definitions, with changes and scan findings', {
    reply: shape.object({
      accepted: shape.list(
        shape.object({
          ...shape.each(shape.text, 'server?', 'serverIdentity?', 'tool', 'hash', 'by?'),
          definition: shape.anyObject,
          at: shape.time,
        }),
      ),
      waiting: shape.list(shape.object(waiting)),
      findings: shape.describe(
        shape.list(finding),
        'Scan findings of waiting definitions, once per server with the tools; `holds` marks a reason to withhold',
      ),
      refused: shape.list(shape.object({ ...waiting, refusedAt: shape.time, by: shape.text })),
    }),
    handle: async ({ control }) => ({ json: await control.pins.view() }),
  }),
  route('POST /pins/accept-many', 'Accepts exactly the definitions with these hashes', {
    body: shape.body({ definitions: { ...shape.list(definition), maxItems: maxAtOnce } }),
    reply: shape.object({
      accepted: shape.list(done),
      stale: shape.describe(
        shape.list(definition),
        'Definitions that no longer wait under this hash, because they may have changed',
      ),
    }),
    handle: async (ask) => ({ json: await acceptMany(ask) }),
  }),
  decisionRoute('accept', 'Accepts the definition with this hash'),
  decisionRoute('refuse', 'Refuses a definition for good; another definition of the tool can be accepted later'),
]

function decisionRoute(act: 'accept' | 'refuse', summary: string): Route {
  return route(`POST /pins/${act}`, summary, {
    body: definition,
    answers: { 409: 'No definition with this hash waits. It may have changed again' },
    reply: done,
    async handle(ask) {
      const about = await waitingDefinition(ask)
      const by = ask.caller.id
      await decide(ask, act, about)
      return { json: { ...about, by } }
    },
  })
}

/** Accepts definitions one by one, each with its own record. A stale one has changed in the meantime, or was refused. */
async function acceptMany(ask: RouteRequest) {
  const { pins } = ask.control
  const by = ask.caller.id
  const accepted: (DefinitionRef & { readonly by: string })[] = []
  const stale: DefinitionRef[] = []
  // The schema of the body guarantees definitions.
  for (const about of ask.body.definitions as unknown as readonly DefinitionRef[]) {
    const isDone = pins.waits(about) && (await decide(ask, 'accept', about, 'waiting').then(() => true, ifRefused))
    if (isDone) accepted.push({ ...about, by })
    else stale.push(about)
  }
  return { accepted, stale }
}

/** Decides with an audit record. It fails if the definition was decided on while the record was written. */
function decide(ask: RouteRequest, act: 'accept' | 'refuse', about: DefinitionRef, among?: 'waiting'): Promise<void> {
  return withAuditRecord(ask, `${act}-pin`, about, async () => {
    if (!(await ask.control.pins[act](about, ask.caller.id, among))) throw notWaiting(about)
  })
}

function ifRefused(thrown: unknown): false {
  if (thrown instanceof HttpRefusal) return false
  throw thrown
}

const notWaiting = ({ tool }: DefinitionRef): HttpRefusal =>
  new HttpRefusal(409, `No definition of ${tool.slice(0, 128)} with this hash waits to be accepted`)

/** Finds the waiting definition; a refused one may still be accepted. */
async function waitingDefinition({ control, body }: RouteRequest): Promise<DefinitionRef> {
  // The schema of the body guarantees a definition.
  const { server, tool, hash, serverIdentity } = body as DefinitionRef
  const about = { server, tool, hash, ...(serverIdentity !== undefined && { serverIdentity }) }
  const { waiting, refused } = await control.pins.view()
  const drifts = [...waiting, ...refused]
  if (drifts.some((drift) => matchesDefinition(drift, about))) return about
  const message = `${tool.slice(0, 128)} comes from another server than the accepted one. Review it, and send its serverIdentity`
  if (drifts.some((drift) => isSameDefinition(drift, about))) throw new HttpRefusal(409, message)
  throw notWaiting(about)
}
