// Plays one scenario of the official suite, named in the environment: `node dist/client.js <url>`. The client does not pin a revision,
// because negotiation is part of the test.
import { contextOf, type Play } from './client/play.js'

const url = process.argv.at(-1) ?? ''
const scenario = process.env.MCP_CONFORMANCE_SCENARIO ?? ''

const play = await playOf(scenario)
await play({ url, context: contextOf(process.env.MCP_CONFORMANCE_CONTEXT) })

/** Loads the logins only for scenarios that need them, because many clients may start at once. */
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
