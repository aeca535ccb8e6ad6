// Ways to reach a server over HTTP.
import type { Credentials, Listener, Way } from '../../../peer/link.js'
import type { Carrier } from './carrier.js'
import type { Door } from './door.js'
import { openStream } from './endpoint-stream.js'
import { type Fetch, fetchCarrier } from './fetch-carrier.js'
import { Headings } from './headings.js'
import { ownHeaders } from './own-headers.js'
import { PostingLink } from './posting-link.js'
import { type Target, targetOf } from './target.js'
import { undiciCarrier } from './undici-carrier.js'

export type HttpWayOptions = {
  readonly credentials?: Credentials
  /** For every request, besides those that the protocol has a say in. */
  readonly headers?: Readonly<Record<string, string>>
  /** Instead of the HTTP stack of the runtime. */
  readonly fetch?: Fetch
  /** Longest body or event taken, in bytes. */
  readonly limit?: number
  readonly random?: () => number
}

const usualLimit = 4 * 1024 * 1024

/** Streamable HTTP, of every edition that has it. */
export function httpWay(url: URL, options: HttpWayOptions = {}): Way {
  const enter = entrance(url, options)
  return { ...labels(url), older: sseWay(url, options), dial: async (listener) => new PostingLink(await enter(listener)) }
}

/** HTTP+SSE, of the first edition. */
export function sseWay(url: URL, options: HttpWayOptions = {}): Way {
  const enter = entrance(url, options)
  return { ...labels(url), dial: async (listener) => connect(await enter(listener)) }
}

async function connect(door: Door) {
  try {
    return await openStream(door)
  } catch (thrown) {
    await door.carrier.close()
    throw thrown
  }
}

function labels(url: URL) {
  const { name } = targetOf(url)
  return { name, key: name }
}

function entrance(url: URL, { credentials, headers, fetch, limit = usualLimit, random = Math.random }: HttpWayOptions) {
  const target = targetOf(url)
  const own = ownHeaders(headers)
  return async (listener: Listener): Promise<Door> => {
    const carrier = await carrierTo(target, fetch)
    return { target, carrier, credentials, headings: new Headings(own), limit, listener, random }
  }
}

async function carrierTo({ origin }: Target, fetch: Fetch | undefined): Promise<Carrier> {
  if (fetch) return fetchCarrier(origin, fetch)
  return (await undiciCarrier(origin)) ?? fetchCarrier(origin, (request) => globalThis.fetch(request))
}
