import { TransportError } from '../../../../peer/client-transport.js'
import { headerOf, type ReceivedHeaders } from '../http-clients/http-client.js'
import { sameOrigin } from '../http-target.js'

const mostRedirects = 3

type Redirected = { readonly status: number; readonly headers: ReceivedHeaders; readonly url: string; readonly redirects: number }

/** The path to go to instead, or why not: what we send is meant for one origin, and only 307 and 308 keep it as it is. */
export function redirectTarget({ status, headers, url, redirects }: Redirected): string | TransportError {
  const location = headerOf(headers, 'location')
  const to = location === undefined ? undefined : sameOrigin(location, url)
  if (to === undefined) return refusal(status, location === undefined ? 'without saying where to' : 'to another origin')
  if (status !== 307 && status !== 308) return refusal(status, 'in a way that would change the request')
  if (redirects >= mostRedirects) return refusal(status, 'too often')
  return to.pathname + to.search
}

/** A browser hides where it is sent, and shows status 0. */
export const isRedirect = (status: number): boolean => status === 0 || (status >= 300 && status < 400)

const refusal = (status: number, how: string): TransportError =>
  new TransportError('redirected', `The server redirects ${how} (HTTP ${status})`, { status, sent: false })
