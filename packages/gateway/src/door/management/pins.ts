import type { Definition } from '../control.js'
import { isLike, isMeant } from '../definitions.js'
import { recorded } from '../recorded.js'
import { type Ask, Refused, type Route } from './route.js'
import { anyObject, body, flag, listOf, moment, shape, text } from './shapes.js'

const definition = body({ server: text, tool: text, hash: text, 'serverIdentity?': text })
const mostAtOnce = 1_000

const advice = { kind: text, path: text, excerpt: text, why: text, holds: flag }

const waiting = {
  'server?': text,
  'serverIdentity?': { ...text, description: 'Which server it is, whatever it is called' },
  'anotherServer?': shape({ 'accepted?': text }),
  'serverChange?': { ...text, description: 'Says in words that this is another server than the one accepted under its name' },
  tool: text,
  hash: text,
  'before?': { ...anyObject, description: 'As it was accepted, whole; none where the tool is new' },
  after: { ...anyObject, description: 'As it is now, whole' },
  changes: listOf(shape({ path: text, 'before?': text, 'after?': text })),
  advice: listOf(shape(advice)),
}

const done = shape({ server: text, tool: text, hash: text, 'serverIdentity?': text, by: text })
const finding = shape({ server: text, tools: listOf(text), ...advice })

/** The definitions of tools that are accepted, and those that wait to be. */
export const pinRoutes: readonly Route[] = [
  {
    method: 'GET',
    path: '/pins',
    summary: 'The accepted definitions of tools, and those that wait, with what has changed and what a scan found',
    reply: shape({
      accepted: listOf(
        shape({
          'server?': text,
          'serverIdentity?': text,
          tool: text,
          hash: text,
          definition: anyObject,
          at: moment,
          'by?': text,
        }),
      ),
      waiting: listOf(shape(waiting)),
      findings: {
        ...listOf(finding),
        description: 'What a scan says of those that wait: once for each server, with the tools; `holds` is why it is kept back',
      },
      refused: listOf(shape({ ...waiting, refusedAt: moment, by: text })),
    }),
    handle: async ({ control }) => ({ json: await control.pins() }),
  },
  {
    method: 'POST',
    path: '/pins/accept-many',
    summary: 'Accepts the definitions that have been shown under these hashes, and no others',
    body: body({ definitions: { ...listOf(definition), maxItems: mostAtOnce } }),
    reply: shape({
      accepted: listOf(done),
      stale: { ...listOf(definition), description: 'Those that wait under this hash no more: they may have changed since' },
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
      await recorded(control.log, { by: caller.id, act: `${act}-pin`, about }, () => control[act](about, caller.id))
      return { json: { ...about, by: caller.id } }
    },
  }
}

type Accepted = Definition & { readonly by: string }

/** One after the other, each with a record of its own. */
async function acceptMany(ask: Ask): Promise<{ accepted: Accepted[]; stale: Definition[] }> {
  const { caller } = ask
  // The schema of the body has said that it is one.
  const definitions = ask.body.definitions as unknown as readonly Definition[]
  const accepted: Accepted[] = []
  const stale: Definition[] = []
  for (const about of definitions) {
    const isAccepted = await acceptOne(ask, about)
    if (isAccepted) accepted.push({ ...about, by: caller.id })
    else stale.push(about)
  }
  return { accepted, stale }
}

/** False where it has changed in the meantime, or somebody has refused it. */
async function acceptOne({ control, caller }: Ask, about: Definition): Promise<boolean> {
  if (!control.waits(about)) return false
  await recorded(control.log, { by: caller.id, act: 'accept-pin', about }, () => control.accept(about, caller.id))
  return true
}

/** What was refused may still be accepted. */
async function keptBack({ control, body }: Ask): Promise<Definition> {
  // The schema of the body has said that it is one.
  const { server, tool, hash, serverIdentity } = body as Definition
  const about = { server, tool, hash, ...(serverIdentity !== undefined && { serverIdentity }) }
  const { waiting, refused } = await control.pins()
  if ([...waiting, ...refused].some((drift) => isMeant(drift, about))) return about
  const name = tool.slice(0, 128)
  if ([...waiting, ...refused].some((drift) => isLike(drift, about)))
    throw new Refused(
      409,
      `${name} is offered by another server than the one that was accepted: look at it, and send its serverIdentity`,
    )
  throw new Refused(409, `No definition of ${name} with this hash waits to be accepted`)
}
