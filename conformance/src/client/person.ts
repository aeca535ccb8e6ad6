// A person at a browser who agrees to everything: follows the address to where it would send the browser back to.
import { once } from 'node:events'
import { get, type IncomingMessage } from 'node:http'

/** Nothing listens there; the suite's authorization servers answer with a redirect that is read and not followed. */
export const redirectUri = 'http://localhost:3000/callback'

/** Not with `fetch`, which takes longer to load than all the rest of a play takes. */
export async function agree(address: URL): Promise<URL> {
  const [answer] = (await once(get(address), 'response')) as [IncomingMessage] // the event's own form
  answer.resume()
  const { location } = answer.headers
  if (location === undefined) throw new Error(`The authorization server sent nobody back: HTTP ${answer.statusCode}`)
  return new URL(location)
}
