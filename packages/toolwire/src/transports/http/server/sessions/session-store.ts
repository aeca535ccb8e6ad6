import { KeyedCounts } from '../../../../bounds/keyed-counts.js'
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
  /** Marks a session of this caller as ended, so that its token is refused. */
  end(id: string, forMs: number, caller?: string): void | Promise<void>
}

const fresh: SharedSession = { ended: false, watched: [], version: 0 }

/** The sessions of this process. Beyond `most`, the oldest entry of the caller who has the most is forgotten. */
export function memorySessions(most: number): SessionStore {
  const kept = new Map<string, { readonly session: SharedSession; readonly caller: string }>()
  const byCaller = new KeyedCounts<string>()
  const sessionOf = (id: string) => kept.get(id)?.session
  function set(id: string, session: SharedSession, caller = kept.get(id)?.caller ?? ''): SharedSession {
    forget(id)
    kept.set(id, { session, caller })
    byCaller.add(caller, 1)
    if (kept.size > most) forgetOldestOf(byCaller.largest())
    return session
  }
  function forget(id: string): void {
    const known = kept.get(id)
    if (known) byCaller.add(known.caller, -1)
    kept.delete(id)
  }
  function forgetOldestOf(largest: string | undefined): void {
    for (const [id, { caller }] of kept) {
      if (caller !== largest) continue
      forget(id)
      break
    }
  }
  return {
    read: sessionOf,
    news: (known) =>
      known.flatMap(({ id, version }) => {
        const session = sessionOf(id)
        return session && session.version > version ? [{ id, ...session }] : []
      }),
    change: (id, change) => set(id, changedSession(sessionOf(id) ?? fresh, change)),
    end(id, _, caller) {
      const session = sessionOf(id) ?? fresh
      set(id, { ...session, ended: true, version: session.version + 1 }, caller)
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
