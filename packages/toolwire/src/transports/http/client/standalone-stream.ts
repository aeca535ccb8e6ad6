import type { SingleMessage } from '../../../jsonrpc/read-message.js'
import type { TransportError } from '../../../peer/client-transport.js'
import type { Revision } from '../../../revisions/revision.js'
import type { HttpConnection } from './http-connection.js'
import { ResumePoint } from './replies/resume-point.js'
import { isTransient, streamVisits } from './replies/stream-visits.js'

/** A stream that was open for this long is no failed attempt. */
const stableMs = 5_000

export type StandaloneStream = ReturnType<typeof standaloneStream>

type StandaloneStreamHandlers = {
  /** Called once it is known whether the server has such a stream, and possibly again. */
  readonly settled: () => void
  /** Called if the stream was open, and the server has forgotten the session since. */
  readonly sessionGone: (why: TransportError) => void
}

/**
 * The stream for messages of the server that belong to no request; not every server with sessions has one.
 * spec 2025-11-25, basic/transports#listening-for-messages-from-the-server
 */
export function standaloneStream(connection: HttpConnection, revision: Revision, handlers: StandaloneStreamHandlers) {
  const { settled, sessionGone } = handlers
  const resumePoint = new ResumePoint()
  let wasOpen = false
  /** Undefined while the stream is not open. */
  let openedAt: number | undefined
  const take = (message: SingleMessage): void => {
    if (message.kind === 'invalid') connection.listener.warn(`The server sent an invalid message: ${message.error.message}`)
    else connection.listener.hear(message)
  }
  const opened = (): void => {
    // Without an id to resume after, the server cannot repeat what it sent meanwhile.
    if (wasOpen && resumePoint.id === '') connection.listener.missed?.()
    wasOpen = true
    openedAt = performance.now()
    settled()
  }
  /** A server without this stream should answer 405, but some answer with other statuses. */
  const failed = (why: TransportError): void => {
    settled()
    if (isTransient(why)) {
      if (openedAt !== undefined && performance.now() - openedAt > stableMs) resumePoint.attempts = 0
      openedAt = undefined
      const timer = visits.beginLater()
      // The timer does not keep the process alive.
      if (typeof timer === 'object') timer.unref()
    } else if (wasOpen && why.code === 'session-gone') sessionGone(why)
    else if (wasOpen && why.status === 400 && resumePoint.id !== '') {
      // The server no longer knows the event, so the stream begins anew.
      resumePoint.id = ''
      visits.begin()
    } else if (wasOpen)
      connection.listener.warn(
        `The stream of notifications has ended, so changes at the server will not be noticed: ${why.message}`,
      )
  }
  const visits = streamVisits(connection, {
    resumePoint,
    revision,
    form: { limit: connection.limit, batches: revision.batching },
    // More messages may always come.
    receiver: { take, done: false },
    opened,
    failed,
  })
  return {
    begin: visits.begin,
    stop(): void {
      visits.stop()
      settled()
    },
  }
}
