// The interface between a client and its transports: the client's counterpart of Application and ReplyChannel.
import type { Id, Response } from '../jsonrpc/message.js'
import type { SingleMessage } from '../jsonrpc/read-message.js'
import type { Revision } from '../revisions/revision.js'
import { visible } from '../text/visible.js'

/** A message to a server: complete JSON text, and the details that a transport may have to send outside of the text. */
export type OutgoingMessage = {
  readonly text: string
  /** The id of a request; its outcome is reported under this id. */
  readonly id?: number
  /** The method; undefined for a response. */
  readonly method?: string
  /** The revision of the message; undefined until a handshake has settled it. */
  readonly revision: Revision | undefined
  /** Headers that repeat parts of the body, if the revision requires them: name, value, name, value. */
  readonly mirrored?: readonly string[]
}

/** Sends messages to one server without interpreting them. */
export interface ClientTransport {
  /** `pipe`: all messages share one pipe. `posts`: each is a POST of its own, and closing it gives up the answer. */
  readonly shape: 'pipe' | 'posts'
  /** Never throws; the listener is told the outcome of a request. */
  send(message: OutgoingMessage): void
  /** Drops a request whose answer is no longer wanted. */
  drop(id: number): void
  /**
   * Notes the revision that a handshake has settled; from now on the server may send messages first. Resolves when the stream for such
   * messages is open or the server turns out to have none. Never rejects.
   */
  settled(revision: Revision): Promise<void> | undefined
  /** Output of a program on a pipe that was no message, with invisible characters made visible; empty if there was none. */
  readonly printed?: string
  /** Ends the connection in good order. The listener is told nothing afterwards. */
  close(): Promise<void>
}

/** Callbacks of the client for the events of a transport. */
export interface TransportListener {
  /**
   * Receives a readable message. Responses are matched by id, over any stream. For any other message, `about` is the id of the request on
   * whose reply stream it came, if requests have such streams.
   */
  hear(message: Exclude<SingleMessage, { kind: 'invalid' }>, about?: number): void
  /** Reports that a request waits for somebody other than the server, such as a person who signs in, or no longer does. */
  setWaiting?(id: number, isWaiting: boolean): void
  /** Reports that a request will get no answer. */
  lost(id: number, why: TransportError): void
  /** Reports that the transport has ended: nothing more can be sent or received. */
  ended(why: TransportError): void
  /** Reports that messages of the server that belong to no request may have been lost. */
  missed?(): void
  /** Reports that something received had to be ignored. */
  warn(text: string): void
}

/** An address at which a server can be reached. */
export interface Endpoint {
  /** For display: a URL without credentials, or a command. */
  readonly name: string
  /** The same for the same server process or origin, so that findings about the server can be cached under it. */
  readonly key: string
  dial(listener: TransportListener): Promise<ClientTransport>
  /** The HTTP+SSE endpoint of revision 2024-11-05 at the same URL, if there is one. */
  readonly olderEndpoint?: Endpoint
}

export type TransportErrorCode =
  | 'unreachable'
  /** The connection broke before the answer arrived. */
  | 'broken'
  /** The answer exceeds the size limit. */
  | 'too-large'
  /** The answer is no message, or has a media type that was not requested. */
  | 'garbage'
  /** The server answered with an HTTP error status. */
  | 'status'
  | 'redirected'
  | 'unauthorized'
  /** The server has forgotten the session. It did nothing, and a new handshake may help. */
  | 'session-gone'
  | 'exited'
  | 'closed'

/**
 * A failure of a transport. Quotes from the other side have their invisible characters made visible.
 *
 * @example
 * ```ts
 * const isLost = (thrown: unknown) => thrown instanceof TransportError
 * ```
 */
export class TransportError extends Error {
  override name = 'TransportError'
  readonly code: TransportErrorCode
  /** True if the request may have reached the server; only if not is it safe to send it again. */
  readonly sent: boolean
  readonly status: number | undefined
  readonly retryAfterMs: number | undefined
  /** The JSON-RPC error in the body of an HTTP error response, if there was one. */
  readonly response: Extract<Response, { error: unknown }> | undefined

  constructor(code: TransportErrorCode, message: string, options: TransportErrorOptions) {
    super(visible(message), options.cause === undefined ? undefined : { cause: options.cause })
    this.code = code
    this.sent = options.sent
    this.status = options.status
    this.retryAfterMs = options.retryAfterMs
    this.response = options.response
  }
}

/** An error for an invalid answer. It tells the caller that the server has taken the request. */
export const unusableAnswer = (reason: string): TransportError =>
  new TransportError('garbage', `The server received the request, but its response is invalid. ${reason}`, { sent: true })

type TransportErrorOptions = Pick<TransportError, 'sent' | 'cause'> &
  Partial<Pick<TransportError, 'status' | 'retryAfterMs' | 'response'>>

/** True if an id can be one of this client's, which are all numbers. */
export const isOwnId = (id: Id | null | undefined): id is number => typeof id === 'number'

/** Identifies the client to an HTTP server. `refused` receives each 401 or 403 and returns whether a retry makes sense. */
export interface Credentials {
  headers(request: CredentialsRequest): Promise<Readonly<Record<string, string>>> | Readonly<Record<string, string>>
  refused(challenge: Challenge): Promise<boolean>
  /** Identifies the account in use, so that cached data of one account is not shown to another. */
  principal?(): string | Promise<string>
  /** Receives the headers of every response; some proofs need a nonce from the server. */
  answered?(answer: AnsweredRequest): void
}

export type CredentialsRequest = {
  /** The URL of the connection, which decides about the tokens. */
  readonly server: string
  /** The URL of this request, on the same origin. The server can choose its path, by redirects or as the address for messages. */
  readonly url: string
  readonly httpMethod: 'GET' | 'POST' | 'DELETE'
}
type AnsweredRequest = CredentialsRequest & {
  /** The headers that `headers` returned for the request, because it may have others for the next one by now. */
  readonly sent: Readonly<Record<string, string>>
  readonly status: number
  readonly header: (name: string) => string | undefined
}
export type Challenge = AnsweredRequest & {
  readonly status: 401 | 403
  /** The values of WWW-Authenticate, joined by commas as in HTTP. */
  readonly wwwAuthenticate: string | undefined
  /** The JSON-RPC method of the refused request. */
  readonly method: string | undefined
}
