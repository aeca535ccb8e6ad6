/**
 * What carries messages about one request back to the peer: the pipe itself, or the reply stream of one HTTP POST.
 * Messages are complete JSON text; the answer itself is not sent here but returned.
 */
export interface ReplyChannel {
  send(message: string): void
  /** The request header of that name, where there are headers. */
  readonly header: ((name: string) => string | undefined) | undefined
  /** Drops the connection so that the client comes back for the rest; undefined where it could not. */
  readonly hangUp: ((retryMs: number) => void) | undefined
  /** Whether a question can reach the client here and now. */
  readonly twoWay: boolean
}
