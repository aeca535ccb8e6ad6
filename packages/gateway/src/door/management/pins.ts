import type { Definition } from '../control.js'
import { recorded } from '../recorded.js'
import { type Ask, Refused, type Route } from './route.js'
import { anyObject, body, listOf, moment, shape, text } from './shapes.js'

const definition = body({ server: text, tool: text, hash: text })

const waiting = {
  'server?': text,
  tool: text,
  hash: text,
  'before?': { ...anyObject, description: 'As it was accepted, whole; none where the tool is new' },
  after: { ...anyObject, description: 'As it is now, whole' },
  changes: listOf(shape({ path: text, 'before?': text, 'after?': text })),
  advice: listOf(anyObject),
}

const done = shape({ server: text, tool: text, hash: text, by: text })

/** The definitions of tools that are accepted, and those that wait to be. */
export const pinRoutes: readonly Route[] = [
  {
    method: 'GET',
    path: '/pins',
    summary: 'The accepted definitions of tools, and those that wait, with what has changed and what a scan found',
    reply: shape({
      accepted: listOf(shape({ 'server?': text, tool: text, hash: text, definition: anyObject, at: moment, 'by?': text })),
      waiting: listOf(shape(waiting)),
      refused: listOf(shape({ ...waiting, refusedAt: moment, by: text })),
    }),
    handle: async ({ control }) => ({ json: await control.pins() }),
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

/** What was refused may still be accepted. */
async function keptBack({ control, body }: Ask): Promise<Definition> {
  // The schema of the body has said that it is one.
  const { server, tool, hash } = body as Definition
  const { waiting, refused } = await control.pins()
  const isHere = [...waiting, ...refused].some((drift) => drift.server === server && drift.tool === tool && drift.hash === hash)
  if (!isHere) throw new Refused(409, `No definition of ${tool.slice(0, 128)} with this hash waits to be accepted`)
  return { server, tool, hash }
}
