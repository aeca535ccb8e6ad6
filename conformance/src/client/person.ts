// Simulates a person at a browser who agrees to everything: requests an address and returns the redirect target.
import { once } from 'node:events'
import { get, type IncomingMessage } from 'node:http'

/** Nothing listens at this address: the redirect of the suite's authorization servers is read, but not followed. */
export const redirectUri = 'http://localhost:3000/callback'

/** Avoids `fetch`, which takes longer to load than the rest of the play. */
export async function agree(address: URL): Promise<URL> {
  const [answer] = (await once(get(address), 'response')) as [IncomingMessage] // the event's own form
  answer.resume()
  const { location } = answer.headers
  if (location === undefined) throw new Error(`The authorization server sent nobody back: HTTP ${answer.statusCode}`)
  return new URL(location)
}
