import type { SingleMessage } from '../../../jsonrpc/read-message.js'
import type { TransportError } from '../../../peer/client-transport.js'
import type { Revision } from '../../../revisions/revision.js'
import type { HttpConnection } from './http-connection.js'
import { ResumePoint } from './replies/resume-point.js'
import { isTransient, streamVisits } from './replies/stream-visits.js'

export type StandaloneStream = ReturnType<typeof standaloneStream>

type StandaloneStreamHandlers = {
  /** Called once it is known whether there is such a stream, and maybe again. */
  readonly settled: () => void
  /** There was one, and now the server does not know the session any more. */
  readonly sessionGone: (why: TransportError) => void
}

/**
 * The stream on which a server with sessions speaks first; not every server has one.
 * spec 2025-11-25, basic/transports#listening-for-messages-from-the-server
 */
export function standaloneStream(connection: HttpConnection, revision: Revision, handlers: StandaloneStreamHandlers) {
  const { settled, sessionGone } = handlers
  let wasOpen = false
  const take = (message: SingleMessage): void => {
    if (message.kind === 'invalid') connection.listener.warn(`The server sent what is no message: ${message.error.message}`)
    else connection.listener.hear(message)
  }
  const opened = (): void => {
    wasOpen = true
    settled()
  }
  /** A server without this stream should answer 405, but some answer with other statuses. */
  const failed = (why: TransportError): void => {
    settled()
    if (isTransient(why)) {
      const timer = visits.beginLater()
      // A program that has nothing else to do may end.
      if (typeof timer === 'object') timer.unref()
    } else if (wasOpen && why.code === 'session-gone') sessionGone(why)
    else if (wasOpen) connection.listener.warn(`Nothing more will be heard of what changes at the server: ${why.message}`)
  }
  const visits = streamVisits(connection, {
    resumePoint: new ResumePoint(),
    revision,
    form: { limit: connection.limit, batches: revision.batching },
    // There is always more to come.
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
