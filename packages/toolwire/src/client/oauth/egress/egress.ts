// The requests that we make because a server told us to.
// docs/tutorials/security/security_best_practices#server-side-request-forgery-ssrf
import { JsonError, parseJson } from '../../../json.js'
import { ByteBuffer } from '../../../jsonrpc/byte-buffer.js'
import { OAuthFailure } from '../oauth-failure.js'
import { checkedUrl, type Reach } from './reach.js'

/** Sends a request to an address that is not ours to trust, and gives the whole answer, or an OAuthFailure. */
export type Egress = (url: string, init?: EgressRequest) => Promise<Response>

type EgressRequest = {
  readonly method?: string
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: BodyInit | null
  readonly signal?: AbortSignal | undefined
}

/** A function like `fetch`, as far as it is needed here. */
export type Fetch = (url: string, init: RequestInit) => Promise<Response>

const mostRedirects = 3
const totalMs = 5_000
const mostBytes = 1024 * 1024
/** Where a browser would send along who is asking, it does not. */
const asNobody = { credentials: 'omit', referrerPolicy: 'no-referrer' } as const

/** Addresses within reach only, redirects within one origin, five seconds and 1 MiB. */
export function egress(reach: Reach, fetch?: Fetch): Egress {
  return async (text, init = {}) => {
    const url = checkedUrl(text, reach, 'address')
    const send = fetch ?? (await ownFetch(reach))
    const over = new AbortController()
    const deadline = { passed: false }
    const late = () => {
      deadline.passed = true
      over.abort()
    }
    const timer = setTimeout(late, totalMs)
    // Not AbortSignal.any, which may be collected as garbage and then never comes. https://github.com/nodejs/node/issues/57736
    const stop = () => over.abort(init.signal?.reason)
    init.signal?.addEventListener('abort', stop)
    if (init.signal?.aborted) stop()
    try {
      const request = { ...init, ...asNobody, signal: over.signal, redirect: 'manual' } as RequestInit
      return await wholeResponse(await follow(url, request, send))
    } catch (thrown) {
      throw asOAuthFailure(thrown, url, deadline.passed)
    } finally {
      clearTimeout(timer)
      init.signal?.removeEventListener('abort', stop)
    }
  }
}

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
  const chunks: Uint8Array<ArrayBuffer>[] = []
  let length = 0
  for await (const chunk of response.body ?? []) {
    length += chunk.length
    if (length > mostBytes) throw new OAuthFailure('bad_answer', `An answer is longer than ${mostBytes} bytes`)
    chunks.push(new Uint8Array(chunk))
  }
  if (isJson(response)) checkJson(chunks)
  const empty = length === 0 || [204, 205, 304].includes(response.status)
  return new Response(empty ? null : new Blob(chunks), { status: response.status, headers: headersOf(response) })
}

const isJson = ({ headers }: Response): boolean =>
  /^application\/(?:[\w.-]+\+)?json\s*(?:;|$)/i.test(headers.get('content-type') ?? '')

/** Rejects JSON that two parsers may read differently. */
function checkJson(chunks: readonly Uint8Array[]): void {
  const bytes = new ByteBuffer()
  for (const chunk of chunks) bytes.append(chunk)
  if (bytes.length === 0) return
  try {
    parseJson(bytes.take())
  } catch (thrown) {
    // Some servers send plain text under a JSON content type, so the caller reports syntax errors.
    if (!(thrown instanceof JsonError) || thrown.code === 'syntax') return
    throw new OAuthFailure('bad_answer', `An answer cannot be read as JSON: ${thrown.message}`)
  }
}

/** A copy, without what no longer holds for a body that has been read and unpacked. */
function headersOf(response: Response): Headers {
  const headers = new Headers([...response.headers])
  headers.delete('content-encoding')
  headers.delete('content-length')
  return headers
}

/** The cause is left out: it could quote what was sent. */
function asOAuthFailure(thrown: unknown, url: URL, isLate: boolean): unknown {
  if (thrown instanceof OAuthFailure) return thrown
  if (isLate) return new OAuthFailure('timed_out', `${url.host} did not answer within ${totalMs} ms`)
  const cause = thrown instanceof Error ? thrown.cause : undefined
  return cause instanceof OAuthFailure ? cause : new OAuthFailure('unreachable', `${url.host} cannot be reached`)
}

/** Only Node lets us see the address that a name has led to before we connect to it. */
async function ownFetch(reach: Reach): Promise<Fetch> {
  const { process } = globalThis as { process?: { versions?: { node?: string; bun?: string; deno?: string } } }
  const versions = process?.versions
  if (!versions?.node || versions.bun || versions.deno) return (url, init) => globalThis.fetch(url, init)
  const { pinnedFetch } = await import('./pinned-fetch.js')
  return pinnedFetch(reach)
}
