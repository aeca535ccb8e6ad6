import { BoundedMap } from '../../../../bounds/bounded-map.js'
import type { SessionChange } from '../../../../peer/conversation.js'
import type { LogLevel } from '../../../../tools/context.js'

/** What is known of a session beside its token. */
export type SharedSession = {
  readonly ended: boolean
  readonly logLevel?: LogLevel | undefined
  /** Resources whose changes its client wants to hear of. */
  readonly watched: readonly string[]
  /** Grows with each change. */
  readonly version: number
}

export type KnownSession = { readonly id: string; readonly version: number }
export type SessionNews = SharedSession & { readonly id: string }

/** Keeps what replicas have to know of sessions; it is asked with each request of one. Everything may be forgotten after `forMs`. */
export type SessionStore = {
  /** Undefined where nothing has been noted. */
  read(id: string): SharedSession | undefined | Promise<SharedSession | undefined>
  /** Of these, all that have changed since that version. */
  news(known: readonly KnownSession[]): readonly SessionNews[] | Promise<readonly SessionNews[]>
  /** Notes what a client has set, and gives what holds then. */
  change(id: string, change: SessionChange, forMs: number): SharedSession | Promise<SharedSession>
  /** From now on its token is refused. */
  end(id: string, forMs: number): void | Promise<void>
}

const fresh: SharedSession = { ended: false, watched: [], version: 0 }

/** Sessions of this process. Of more than `most`, what was noted longest ago is forgotten. */
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
