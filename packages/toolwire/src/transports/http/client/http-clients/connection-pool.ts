import type { OutgoingMessage } from '../../../../peer/client-transport.js'

/** Whose connections a request takes. What lets calls come to their end must never wait until a call is over. */
export type ConnectionPool =
  /** As many at once as there are connections; each may take its time. */
  | 'calls'
  /** What calls may be waiting for, and what is done at once: answers to questions of the server, cancellations, signs of life. */
  | 'asides'
  /** Streams on which the server speaks when it likes, and which are open for as long as somebody listens. */
  | 'news'

const poolByMethod: ReadonlyMap<string | undefined, ConnectionPool> = new Map([
  ['ping', 'asides'],
  // It follows at the heels of the handshake, before there are calls, and needs no other connection.
  ['notifications/initialized', 'calls'],
  ['subscriptions/listen', 'news'],
  ['resources/subscribe', 'news'],
  ['resources/unsubscribe', 'news'],
])

export const connectionPoolOf = ({ id, method }: OutgoingMessage): ConnectionPool =>
  poolByMethod.get(method) ?? (id === undefined ? 'asides' : 'calls')
