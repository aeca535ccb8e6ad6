// Requests to an authorization server, at addresses from the operator or from the server's own metadata.
import { isObject, type JsonObject, parseJson } from '../json.js'
import { collectBytes } from '../jsonrpc/byte-buffer.js'
import { secureUrl } from '../tools/checks/secure-url.js'

/** The part of `fetch` that is used here. */
export type AuthFetch = (url: string, init: RequestInit) => Promise<Response>

/** Thrown if the authorization server cannot be asked now, so that no token can be checked. */
export class FetchUnavailable extends Error {
  override name = 'FetchUnavailable'
}

const totalMs = 5_000
const mostBytes = 1024 * 1024

/** Fetches a JSON object within five seconds, of at most 1 MiB, without redirects. */
export async function fetchObject(url: string, init: RequestInit = {}, fetch: AuthFetch = globalThis.fetch): Promise<JsonObject> {
  const { host } = secureUrl(url, 'An address of the authorization server')
  try {
    const response = await fetch(url, { ...init, redirect: 'manual', credentials: 'omit', signal: AbortSignal.timeout(totalMs) })
    if (response.status !== 200) throw new FetchUnavailable(`${host} answered ${response.status}`)
    const bytes = await collectBytes(response.body, mostBytes)
    if (!bytes) throw new FetchUnavailable(`${host} sent more than ${mostBytes} bytes`)
    const value = parseJson(bytes)
    if (isObject(value)) return value
  } catch (thrown) {
    // The cause is left out, because it could quote the request or the response.
    if (!(thrown instanceof FetchUnavailable))
      throw new FetchUnavailable(`${host} cannot be reached, or its response cannot be read`)
    throw thrown
  }
  throw new FetchUnavailable(`${host} sent no JSON object`)
}
