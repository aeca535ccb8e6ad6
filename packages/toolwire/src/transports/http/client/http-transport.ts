import { Bag } from '../../../bounds/bag.js'
import type { ClientTransport, TransportError } from '../../../peer/client-transport.js'
import type { Revision } from '../../../revisions/revision.js'
import { endSession } from './end-session.js'
import { type HttpConnection, noopListener } from './http-connection.js'
import { oneWayMessages } from './one-way-messages.js'
import { PostRequest } from './post-request.js'
import { isAnsweredMessage } from './requests/http-request.js'
import { type StandaloneStream, standaloneStream } from './standalone-stream.js'

/** Streamable HTTP, for every revision that has it: each message is its own POST. */
export function httpTransport(connection: HttpConnection): ClientTransport {
  const open = new Bag<PostRequest>()
  const notices = oneWayMessages(connection, { allAccepted: () => listen() })
  let revision: Revision | undefined
  let stream: StandaloneStream | undefined
  let isListening = false
  /** Set when the standalone stream has found that the server no longer knows the session. */
  let gone: TransportError | undefined
  let closing: Promise<void> | undefined

  /** Opens the standalone stream, but not before the server has accepted the end of the handshake. */
  function listen(): void {
    if (closing || !notices.isEmpty() || isListening || !stream) return
    isListening = true
    stream.begin()
  }

  function finished(post: PostRequest): void {
    open.delete(post)
    endIfGone()
  }

  /** Ends the transport of a lost session, but not while requests are open: each may still be answered, or fails by itself. */
  function endIfGone(): void {
    if (!gone || open.size > 0) return
    const { listener, sessionHeaders } = connection
    sessionHeaders.openSession(undefined)
    void close()
    listener.ended(gone)
  }

  /** Forgets the session, because a new handshake begins without one. */
  function startOver(): void {
    connection.sessionHeaders.openSession(undefined)
    stream?.stop()
    stream = undefined
    isListening = false
    gone = undefined
  }

  function close(): Promise<void> {
    closing ??= closeAll()
    return closing
  }

  async function closeAll(): Promise<void> {
    connection.listener = noopListener
    stream?.stop()
    for (const post of open.clear()) post.stop()
    await endSession(connection, revision)
    await connection.client.close()
  }

  return {
    shape: 'posts',
    send(message) {
      if (closing) return
      if (!isAnsweredMessage(message)) return notices.send(message)
      if (message.method === 'initialize') startOver()
      const post = new PostRequest(connection, message, finished)
      open.add(post)
      post.begin()
    },
    drop(id) {
      const post = open.find((one) => one.id === id)
      if (!post) return
      post.stop()
      finished(post)
    },
    settled(settled) {
      revision = settled
      if (closing || !settled.http.sessions) return undefined
      return new Promise((resolve) => {
        const sessionGone = (why: TransportError): void => {
          gone = why
          endIfGone()
        }
        stream = standaloneStream(connection, settled, { settled: resolve, sessionGone })
        listen()
      })
    },
    close,
  }
}
