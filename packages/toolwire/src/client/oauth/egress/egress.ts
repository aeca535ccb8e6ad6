// Requests to addresses that a server has given us.
// docs/tutorials/security/security_best_practices#server-side-request-forgery-ssrf
import { LinkedAbortController } from '../../../bounds/linked-abort-controller.js'
import { JsonError, parseJson } from '../../../json.js'
import { collectBytes } from '../../../jsonrpc/byte-buffer.js'
import { OAuthFailure } from '../oauth-failure.js'
import { checkedUrl, type Reach } from './reach.js'

/** Sends a request to an untrusted address, and resolves with the whole response or rejects with an OAuthFailure. */
export type Egress = (url: string, init?: EgressRequest) => Promise<Response>

type EgressRequest = Pick<RequestInit, 'method' | 'headers' | 'body'> & { readonly signal?: AbortSignal | undefined }

export type Fetch = (url: string, init: RequestInit) => Promise<Response>

const mostRedirects = 3
const totalMs = 5_000
const mostBytes = 1024 * 1024
/** Keeps browsers from sending cookies or a referrer. */
const asNobody = { credentials: 'omit', referrerPolicy: 'no-referrer' } as const

/** Restricts requests to addresses within reach, redirects within one origin, five seconds and 1 MiB. */
export function egress(reach: Reach, fetch?: Fetch): Egress {
  return async (text, init = {}) => {
    const url = checkedUrl(text, reach, 'address')
    const send = fetch ?? (await ownFetch(reach))
    const end = new LinkedAbortController(init.signal)
    let isLate = false
    const late = () => {
      isLate = true
      end.abort(undefined)
    }
    const timer = setTimeout(late, totalMs)
    try {
      const request = { ...init, ...asNobody, signal: end.signal, redirect: 'manual' } as RequestInit
      return await wholeResponse(await follow(url, request, send))
    } catch (thrown) {
      throw asOAuthFailure(thrown, url, isLate)
    } finally {
      clearTimeout(timer)
      end.release()
    }
  }
}

/** True for a status that says nothing about the request, because the same request may succeed later. */
export const isBusyStatus = (status: number): boolean => busyStatuses.has(status)

const busyStatuses: ReadonlySet<number> = new Set([408, 425, 429])

async function follow(start: URL, init: RequestInit, send: Fetch): Promise<Response> {
  let url = start
  for (let hops = 0; hops <= mostRedirects; hops += 1) {
    const response = await send(url.href, init)
    const next = response.status >= 300 && response.status < 400 ? response.headers.get('location') : null
    if (next === null) return response
    await response.body?.cancel()
    url = redirected(url, next, init.method ?? 'GET')
  }
  throw new OAuthFailure('bad_answer', `${start.host} redirects more than ${mostRedirects} times`)
}

function redirected(from: URL, location: string, method: string): URL {
  const to = URL.canParse(location, from.href) ? new URL(location, from) : undefined
  if (to?.origin !== from.origin) throw new OAuthFailure('forbidden_address', `${from.host} redirects to another origin`)
  // A posted code or secret was meant for the first address only.
  if (method !== 'GET') throw new OAuthFailure('bad_answer', `${from.host} redirects a ${method} request`)
  return to
}

async function wholeResponse(response: Response): Promise<Response> {
  const bytes = await collectBytes(response.body, mostBytes)
  if (!bytes) throw new OAuthFailure('bad_answer', `The response is longer than ${mostBytes} bytes`)
  const headers = new Headers([...response.headers])
  if (bytes.length > 0 && isJson(headers)) checkJson(bytes)
  // These headers do not describe a body that has been read and decompressed.
  headers.delete('content-encoding')
  headers.delete('content-length')
  // A proxy may send a challenge, too. The library would then not read the error in the body.
  headers.delete('www-authenticate')
  const isEmpty = bytes.length === 0 || [204, 205, 304].includes(response.status)
  return new Response(isEmpty ? null : new Blob([new Uint8Array(bytes)]), { status: response.status, headers })
}

const isJson = (headers: Headers): boolean =>
  /^application\/(?:[\w.-]+\+)?json\s*(?:;|$)/i.test(headers.get('content-type') ?? '')

/** Rejects JSON that two parsers may read differently. */
function checkJson(bytes: Uint8Array): void {
  try {
    parseJson(bytes)
  } catch (thrown) {
    // Some servers send plain text under a JSON content type, so the caller reports syntax errors.
    if (!(thrown instanceof JsonError) || thrown.code === 'syntax') return
    throw new OAuthFailure('bad_answer', `The response cannot be read as JSON: ${thrown.message}`)
  }
}

/** The cause is left out, because it could quote the request. */
function asOAuthFailure(thrown: unknown, url: URL, isLate: boolean): unknown {
  if (thrown instanceof OAuthFailure) return thrown
  if (isLate) return new OAuthFailure('timed_out', `${url.host} did not answer within ${totalMs} ms`)
  const cause = thrown instanceof Error ? thrown.cause : undefined
  return cause instanceof OAuthFailure ? cause : new OAuthFailure('unreachable', `${url.host} cannot be reached`)
}

/** Only Node lets us check the address that a name resolves to before we connect to it. */
async function ownFetch(reach: Reach): Promise<Fetch> {
  const { process } = globalThis as { process?: { versions?: { node?: string; bun?: string; deno?: string } } }
  const versions = process?.versions
  if (!versions?.node || versions.bun || versions.deno) return (url, init) => globalThis.fetch(url, init)
  const { pinnedFetch } = await import('./pinned-fetch.js')
  return pinnedFetch(reach)
}
