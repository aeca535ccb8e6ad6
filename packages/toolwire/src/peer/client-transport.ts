// How a client and its transports know each other: the other side of Application and Line.
import type { Id, Response } from '../jsonrpc/message.js'
import type { SingleMessage } from '../jsonrpc/read-message.js'
import type { Revision } from '../revisions/revision.js'
import { visible } from '../text/visible.js'

/** A message on its way to a server: complete JSON text, and what a transport may have to say about it outside of the text. */
export type OutgoingMessage = {
  readonly text: string
  /** Requests have one, and their outcome is reported under it. */
  readonly id?: number
  /** Responses have none. */
  readonly method?: string
  /** The revision it is written in; undefined while that is still being settled by a handshake. */
  readonly revision: Revision | undefined
  /** Headers that repeat parts of the body where the revision wants it: name, value, name, value. */
  readonly mirrored?: readonly string[]
}

/** A way to send messages to one server. It carries them and knows nothing of what they mean. */
export interface ClientTransport {
  /** All messages share one pipe, or each is posted on its own: then hanging up says that its answer is no longer wanted. */
  readonly shape: 'pipe' | 'posts'
  /** Never throws; the listener hears the outcome of a request. */
  send(message: OutgoingMessage): void
  /** Nobody waits for the answer to that request any more. */
  drop(id: number): void
  /**
   * A handshake has settled on this revision; from now on the server may speak first. Resolves when there is a way for it to do so,
   * or it turned out that there is none; never rejects.
   */
  settled(revision: Revision): Promise<void> | undefined
  /** What the other side has printed that was no message, made visible; empty if nothing was. Only a program on a pipe prints. */
  readonly printed?: string
  /** Ends it in good order. Nothing is told to the listener afterwards. */
  close(): Promise<void>
}

/** What a transport tells the client. */
export interface TransportListener {
  /**
   * A readable message. Responses are matched by id, over any stream; `about` is the id of the request on whose
   * reply anything else came, where requests have replies of their own.
   */
  hear(message: Exclude<SingleMessage, { kind: 'invalid' }>, about?: number): void
  /** That request waits for somebody who is not the server, such as a person who signs in; or it does not any more. */
  setWaiting?(id: number, isWaiting: boolean): void
  /** No answer will come to that request. */
  lost(id: number, why: TransportError): void
  /** Nothing can be sent any more, and nothing will come. */
  ended(why: TransportError): void
  /** Something came that had to be passed over. */
  warn(text: string): void
}

/** Somewhere a server can be reached. */
export interface Endpoint {
  /** For people: a URL without credentials, a command. */
  readonly name: string
  /** The same for the same server process or origin, so that what was found out about it can be kept. */
  readonly key: string
  dial(listener: TransportListener): Promise<ClientTransport>
  /** The way of the first revision to the same place, where there is one. */
  readonly olderEndpoint?: Endpoint
}

/** Why no answer will come. */
export type TransportErrorCode =
  /** No connection could be made. */
  | 'unreachable'
  /** The connection broke before the answer was there. */
  | 'broken'
  /** What came is longer than we take. */
  | 'too-large'
  /** What came is no message, or not in a form that was asked for. */
  | 'garbage'
  /** The server answered with an HTTP status that says no. */
  | 'status'
  | 'redirected'
  | 'unauthorized'
  /** The server has forgotten the session: nothing was done, and a new handshake may help. */
  | 'session-gone'
  /** The server's process has ended. */
  | 'exited'
  | 'closed'

/**
 * A transport's bad news. What it quotes of the other side hides nothing.
 *
 * @example
 * ```ts
 * const isLost = (thrown: unknown) => thrown instanceof TransportError
 * ```
 */
export class TransportError extends Error {
  override name = 'TransportError'
  readonly code: TransportErrorCode
  /** Whether the request may have reached the server. Only where it cannot have is it safe to send it again. */
  readonly sent: boolean
  readonly status: number | undefined
  readonly retryAfterMs: number | undefined
  /** The error that came with a status, where the body held one. */
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

/** For an invalid answer: the caller should know that the server has taken the request. */
export const unusableAnswer = (reason: string): TransportError =>
  new TransportError('garbage', `The call was made, but its answer cannot be taken. ${reason}`, { sent: true })

type TransportErrorOptions = Pick<TransportError, 'sent' | 'cause'> &
  Partial<Pick<TransportError, 'status' | 'retryAfterMs' | 'response'>>

/** Our own ids are numbers; an answer with any other id is not one to us. */
export const isOwnId = (id: Id | null | undefined): id is number => typeof id === 'number'

/** What shows an HTTP server who is asking. `refused` is told of a 401 or 403 and says whether trying again makes sense. */
export interface Credentials {
  headers(request: CredentialsRequest): Promise<Readonly<Record<string, string>>> | Readonly<Record<string, string>>
  refused(challenge: Challenge): Promise<boolean>
  /** Who is being asked for, so that what one may see is not kept for another. */
  principal?(): string | Promise<string>
  /** Sees the headers of every answer; some proofs need a nonce that servers hand out. */
  answered?(answer: AnsweredRequest): void
}

type AnsweredRequest = { readonly url: string; readonly status: number; readonly header: (name: string) => string | undefined }

export type CredentialsRequest = { readonly url: string; readonly httpMethod: 'GET' | 'POST' | 'DELETE' }
export type Challenge = CredentialsRequest & {
  readonly status: 401 | 403
  /** The values of WWW-Authenticate, joined by commas as HTTP does. */
  readonly wwwAuthenticate: string | undefined
  readonly header: (name: string) => string | undefined
  /** The JSON-RPC method that was refused. */
  readonly method: string | undefined
}
