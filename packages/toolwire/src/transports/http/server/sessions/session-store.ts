import { BoundedMap } from '../../../../bounds/bounded-map.js'
import type { SessionChange } from '../../../../peer/conversation.js'
import type { LogLevel } from '../../../../tools/context.js'

/** The state of a session besides its token. */
export type SharedSession = {
  readonly ended: boolean
  readonly logLevel?: LogLevel | undefined
  /** Resources that the client has subscribed to. */
  readonly watched: readonly string[]
  /** Grows with each change. */
  readonly version: number
}

export type KnownSession = { readonly id: string; readonly version: number }
export type SessionNews = SharedSession & { readonly id: string }

/** Keeps the state of sessions that replicas share; read with each request of a session. Entries may be forgotten after `forMs`. */
export type SessionStore = {
  /** Undefined if nothing is stored. */
  read(id: string): SharedSession | undefined | Promise<SharedSession | undefined>
  /** Those of the sessions that have changed since that version. */
  news(known: readonly KnownSession[]): readonly SessionNews[] | Promise<readonly SessionNews[]>
  /** Stores a setting of a client, and returns the new state. */
  change(id: string, change: SessionChange, forMs: number): SharedSession | Promise<SharedSession>
  /** Marks a session as ended, so that its token is refused. */
  end(id: string, forMs: number): void | Promise<void>
}

const fresh: SharedSession = { ended: false, watched: [], version: 0 }

/** The sessions of this process. Beyond `most`, the oldest entries are forgotten. */
export function memorySessions(most: number): SessionStore {
  const kept = new BoundedMap<string, SharedSession>(most)
  const set = (id: string, session: SharedSession): SharedSession => {
    kept.set(id, session)
    return session
  }
  return {
    read: (id) => kept.get(id),
    news: (known) =>
      known.flatMap(({ id, version }) => {
        const session = kept.get(id)
        return session && session.version > version ? [{ id, ...session }] : []
      }),
    change: (id, change) => set(id, changedSession(kept.get(id) ?? fresh, change)),
    end(id) {
      const session = kept.get(id) ?? fresh
      set(id, { ...session, ended: true, version: session.version + 1 })
    },
  }
}

function changedSession(session: SharedSession, change: SessionChange): SharedSession {
  const version = session.version + 1
  if ('logLevel' in change) return { ...session, ...change, version }
  const uri = 'watch' in change ? change.watch : change.unwatch
  const others = session.watched.filter((one) => one !== uri)
  return { ...session, watched: 'watch' in change ? [...others, uri] : others, version }
}
