// Plays one scenario of the official suite, which says in the environment which one: `node dist/client.js <url>`.
// The revision is never pinned, for finding out what a server speaks is part of what is shown.
import { contextOf, type Play } from './client/play.js'

const url = process.argv.at(-1) ?? ''
const scenario = process.env.MCP_CONFORMANCE_SCENARIO ?? ''

const play = await playOf(scenario)
await play({ url, context: contextOf(process.env.MCP_CONFORMANCE_CONTEXT) })

/** Logins are loaded only where they are played: all clients of a suite may start at once. */
async function playOf(name: string): Promise<Play> {
  if (name.startsWith('auth/')) {
    const { plays, usual } = await import('./client/logins.js')
    return plays.get(name) ?? usual
  }
  const { plays } = await import('./client/scenarios.js')
  const play = plays.get(name)
  if (!play) throw new Error(`There is no play for the scenario "${name}"`)
  return play
}
