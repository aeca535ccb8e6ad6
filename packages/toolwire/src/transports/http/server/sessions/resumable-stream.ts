import type { EventStream } from '../streams/event-stream.js'
import type { EventStore } from './event-store.js'

export type ResumableStream = ReturnType<typeof resumableStream>

/**
 * One stream of a session, which may outlive the connection that carries it: while there is none, its events are kept under the name
 * of the session, if the edition lets clients come back for them. Event ids name the stream, so that a client that comes back finds
 * the right one. spec 2025-11-25, basic/transports#resumability
 */
export function resumableStream(id: string, storage: { readonly store: EventStore; readonly session: string } | undefined) {
  let carrier: EventStream | undefined
  let last = 0
  let isDone = false
  const isConnected = () => carrier?.isOpen() === true
  const after = (seq: number) => storage?.store.after(storage.session, id, seq)
  const connect = (events: EventStream): void => {
    carrier?.end()
    carrier = events
    events.onClose(() => {
      if (carrier === events) carrier = undefined
    })
  }
  return {
    id,
    isConnected,
    connect,
    /** Finished, or left by its client: it is kept only in case someone comes back for it. */
    isDisposable: () => isDone || !isConnected(),
    /** Whether everything after that event can still be told. */
    remembers: (seq: number): boolean => seq === last || (seq < last && after(seq) !== undefined),
    /** Goes on where the client lost it, over a new connection. */
    resume(events: EventStream, from: number): void {
      connect(events)
      for (const { seq, data } of after(from) ?? []) events.sendEvent({ id: `${id}-${seq}`, data })
      if (isDone) events.end()
    },
    send(data: string): void {
      const seq = ++last
      storage?.store.append(storage.session, id, { seq, data })
      carrier?.sendEvent(storage ? { id: `${id}-${seq}`, data } : { data })
    },
    /** Nothing more will come. */
    end(): void {
      isDone = true
      carrier?.end()
    },
    /** Ends the connection, not the stream: the client comes back after `retryMs`. */
    hangUp(retryMs: number): void {
      carrier?.hangUp(retryMs)
      carrier = undefined
    },
  }
}
