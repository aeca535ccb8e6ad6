import { type Credentials, type CredentialsRequest, TransportError } from '../../../../peer/client-transport.js'
import { checkHeader } from '../custom-headers.js'
import { headerOf, type ReceivedHeaders } from '../http-clients/http-client.js'
import type { HttpConnection } from '../http-connection.js'
import { sameOrigin } from '../http-target.js'
import type { ResponseBody } from '../replies/response-body.js'
import type { HttpRequest, ResponseHandler } from './http-request.js'
import { networkErrorOf } from './network-error.js'
import { refusalBody, refusalErrorOf } from './refused-response.js'
import { RequestAttempt } from './request-attempt.js'

const mostRedirects = 3

/** The path of a redirect, or an error. A request must stay at one origin, and only 307 and 308 keep it unchanged. */
function redirectTarget(status: number, headers: ReceivedHeaders, url: string, redirects: number): string | TransportError {
  const location = headerOf(headers, 'location')
  const to = location === undefined ? undefined : sameOrigin(location, url)
  if (to === undefined) return refusal(status, location === undefined ? 'without saying where to' : 'to another origin')
  if (status !== 307 && status !== 308) return refusal(status, 'in a way that would change the request')
  if (redirects >= mostRedirects) return refusal(status, 'too often')
  return to.pathname + to.search
}

/** A browser hides the target of a redirect, and reports status 0. */
const isRedirect = (status: number): boolean => status === 0 || (status >= 300 && status < 400)

const refusal = (status: number, how: string): TransportError =>
  new TransportError('redirected', `The server redirects ${how} (HTTP ${status})`, { status, sent: false })

const mostTries = 5

/** An HTTP request that is retried after redirects and refused credentials, until it is answered or fails. */
export class RetryingRequest {
  readonly #httpConnection: HttpConnection
  readonly #task: HttpRequest
  readonly #sender: ResponseHandler
  #path: string
  #attempt: RequestAttempt
  /** The headers of the credentials in the current attempt. */
  #proof: Readonly<Record<string, string>> = {}
  #isOver = false
  #redirects = 0
  #tries = 1

  constructor(httpConnection: HttpConnection, task: HttpRequest, sender: ResponseHandler) {
    this.#httpConnection = httpConnection
    this.#task = task
    this.#sender = sender
    this.#path = task.path ?? httpConnection.target.path
    this.#attempt = new RequestAttempt(this)
  }

  begin(): void {
    const { credentials } = this.#httpConnection
    if (credentials === undefined) this.#dispatch(this.#task.headers)
    else this.#prove(credentials)
  }

  /** Aborts the request; nothing more is reported. */
  stop(): void {
    this.#isOver = true
    this.#attempt.stop()
  }

  /** Ends the request after its answer has arrived; nothing more is reported. */
  settle(): void {
    this.#isOver = true
    this.#attempt.settle()
  }

  answered(status: number, headers: ReceivedHeaders): ResponseBody {
    this.#httpConnection.credentials?.answered?.(this.#answer(status, headers))
    if (status >= 200 && status < 300) return this.#sender.answered(status, headers)
    return refusalBody((body) => this.#refused(status, headers, body))
  }

  failed(why: TransportError): void {
    if (this.#isOver) return
    this.#isOver = true
    this.#sender.failed(why)
  }

  broke(error: Error, written: boolean): void {
    this.failed(networkErrorOf(error, { name: this.#httpConnection.target.name, written }))
  }

  /** Sends the request with credentials, without a wait if they are available at once. */
  #prove(credentials: Credentials) {
    const use = (proof: Readonly<Record<string, string>>) => {
      this.#proof = proof
      this.#dispatch(withCredentialHeaders(this.#task.headers, proof))
    }
    const refuse = (thrown: unknown) => this.failed(credentialsError(thrown))
    try {
      const proof = credentials.headers(this.#request())
      if (!(proof instanceof Promise)) return use(proof)
      this.#waits(true)
      proof
        .finally(() => this.#waits(false))
        .then(use)
        .catch(refuse)
    } catch (thrown) {
      refuse(thrown)
    }
  }

  #dispatch(headers: string[]): void {
    if (this.#isOver) return
    const { pool, httpMethod: method, text: body } = this.#task
    // Always the same members: undici reads objects of one shape in a fifth of the time.
    this.#httpConnection.client.dispatch({ pool, path: this.#path, method, headers, body }, this.#attempt)
  }

  #again(): void {
    if (this.#isOver) return
    this.#attempt = new RequestAttempt(this)
    this.begin()
  }

  #refused(status: number, headers: ReceivedHeaders, body: Uint8Array | undefined) {
    this.#attempt.stop()
    const { id, hasSession } = this.#task
    if (isRedirect(status)) return this.#redirected(status, headers)
    const why = refusalErrorOf({ status, headers, body, id, hasSession, name: this.#httpConnection.target.name })
    // No person is asked to log in for a request that only ends a session.
    if ((status === 401 || status === 403) && this.#task.httpMethod !== 'DELETE') void this.#appeal(status, headers, why)
    else this.failed(why)
  }

  #redirected(status: number, headers: ReceivedHeaders) {
    const to = redirectTarget(status, headers, this.#request().url, this.#redirects++)
    if (to instanceof TransportError) return this.failed(to)
    this.#path = to
    this.#again()
  }

  async #appeal(status: 401 | 403, headers: ReceivedHeaders, why: TransportError): Promise<void> {
    const { credentials } = this.#httpConnection
    if (credentials === undefined || this.#tries++ >= mostTries) return this.failed(why)
    const wwwAuthenticate = headerOf(headers, 'www-authenticate')
    const challenge = { ...this.#answer(status, headers), status, method: this.#task.method, wwwAuthenticate }
    const appealed = async () => ((await credentials.refused(challenge)) ? undefined : why)
    this.#waits(true)
    const refusal = await appealed()
      .catch((thrown: unknown) => credentialsError(thrown, status))
      .finally(() => this.#waits(false))
    if (refusal === undefined) this.#again()
    else this.failed(refusal)
  }

  readonly #waits = (isWaiting: boolean): void => {
    if (this.#isOver) return
    const { id, setWaiting } = this.#task
    setWaiting?.(isWaiting)
    if (id !== undefined) this.#httpConnection.listener.setWaiting?.(id, isWaiting)
  }

  #answer(status: number, headers: ReceivedHeaders) {
    return { ...this.#request(), sent: this.#proof, status, header: (name: string) => headerOf(headers, name) }
  }

  #request(): CredentialsRequest {
    const { origin, path } = this.#httpConnection.target
    return { server: origin + path, url: origin + this.#path, httpMethod: this.#task.httpMethod }
  }
}

/** Adds the headers of the credentials, in place of headers with the same names. */
function withCredentialHeaders(headers: readonly string[], proof: Readonly<Record<string, string>>): string[] {
  // Checked here, because the HTTP client would quote the value in its error.
  for (const [name, value] of Object.entries(proof)) checkHeader(name, value)
  const names = new Set(Object.keys(proof).map((name) => name.toLowerCase()))
  const kept = headers.filter((_, at) => !names.has(headers[at - (at % 2)]!.toLowerCase()))
  return [...kept, ...Object.entries(proof).flat()]
}

function credentialsError(thrown: unknown, status?: number): TransportError {
  if (thrown instanceof TransportError) return thrown
  const reason = thrown instanceof Error ? thrown.message : String(thrown)
  return new TransportError('unauthorized', `No credentials: ${reason}`, { sent: false, cause: thrown, status })
}
