import type { EventStream } from '../streams/event-stream.js'
import type { EventStore, StoredEvent } from './event-store.js'

export type ResumableStream = ReturnType<typeof resumableStream>

/** The store of a stream's events, under the id of the session, and the id of its caller. `marksEnd`: the end of the stream is stored too. */
export type EventStorage = {
  readonly store: EventStore
  readonly session: string
  readonly caller: string
  readonly marksEnd: boolean
}

/**
 * A stream of a session, which may outlive its connection. If the revision lets clients resume streams, its events are stored under the id
 * of the session. Event ids name the stream, so that a client resumes the right one. `begun` is the number of its latest event, if another
 * replica began it. spec 2025-11-25, basic/transports#resumability
 */
export function resumableStream(id: string, storage: EventStorage | undefined, begun = 0) {
  let carrier: EventStream | undefined
  let last = begun
  let isDone = false
  /** Settles when all events so far are stored; undefined if they are stored already. */
  let keeping: Promise<void> | undefined
  /** Events sent while a resuming client waits for those that it missed. */
  const meanwhile = new Set<StoredEvent[]>()
  const isConnected = () => carrier?.isOpen() === true

  function keep(event: StoredEvent): void {
    for (const events of meanwhile) events.push(event)
    const kept = storage?.store.append(storage.session, id, event, storage.caller)
    if (!kept) return
    const all = Promise.all([keeping, kept]).then(settled, settled)
    keeping = all
    function settled(): void {
      if (keeping === all) keeping = undefined
    }
  }

  function connect(events: EventStream): void {
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
    /** The number of its latest event. */
    latest: () => last,
    /** True if the stream has ended, or its client has left; it is kept only in case the client resumes it. */
    isDisposable: () => isDone || !isConnected(),
    /** Resumes the stream over a new connection; undefined if part of it is gone. */
    resume(from: number, open: () => EventStream): EventStream | undefined | Promise<EventStream | undefined> {
      const recent: StoredEvent[] = []
      const after = () => (from === last ? [] : storage?.store.after(storage.session, id, from))
      const goOn = (kept: readonly StoredEvent[] | undefined): EventStream | undefined => {
        meanwhile.delete(recent)
        const reached = kept?.at(-1)?.seq ?? from
        const missed = [...(kept ?? []), ...recent.filter(({ seq }) => seq > reached)]
        if (missed.length !== last - from) return undefined
        const events = open()
        connect(events)
        sendStored(events, id, missed)
        if (isDone) events.end()
        return events
      }
      const kept = keeping ? keeping.then(after) : after()
      if (!(kept instanceof Promise)) return goOn(kept)
      meanwhile.add(recent)
      return kept.then(goOn).finally(() => meanwhile.delete(recent))
    },
    send(data: string): void {
      const seq = ++last
      keep({ seq, data })
      carrier?.sendEvent(storage ? { id: `${id}-${seq}`, data } : { data })
    },
    /** Sends events that another replica has stored, unless any were sent here since. */
    tell(stored: readonly StoredEvent[]): void {
      if (!carrier || stored[0]?.seq !== last + 1) return
      sendStored(carrier, id, stored)
      last = stored.at(-1)?.seq ?? last
    },
    end(): void {
      if (!isDone && storage?.marksEnd) keep({ seq: ++last, data: '', end: true })
      isDone = true
      carrier?.end()
    },
    /** Ends the connection, not the stream: the client resumes after `retryMs`. */
    hangUp(retryMs: number): void {
      carrier?.hangUp(retryMs)
      carrier = undefined
    },
  }
}

/** Sends stored events; true if the stream ends with them. */
export function sendStored(events: EventStream, stream: string, stored: readonly StoredEvent[]): boolean {
  for (const { seq, data, end } of stored) {
    if (end) return true
    events.sendEvent({ id: `${stream}-${seq}`, data })
  }
  return false
}
