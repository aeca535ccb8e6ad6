// Sessions of revisions before 2026-07-28, as shared by all replicas: which ones have ended, and their settings by clients.
import type { PostgresStores } from 'toolwire/postgres'
import { bounds } from 'toolwire/relay'
import { withTimeLimit } from '../../store/postgres/time-limit.js'

type SessionStore = PostgresStores['sessions']
type SharedSession = NonNullable<Awaited<ReturnType<SessionStore['read']>>>
type Known = { readonly at: number; readonly session: SharedSession | undefined }

/** Time for which a result stays valid. Connected replicas learn of an ended session at once, in another way. */
const holdsMs = 1_000
const answersWithinMs = 1_000
const mostKnown = 20_000

/** A cached session store. It is read for each request, so it queries the database seldom, and for many sessions at once. */
export function replicaSessions(shared: SessionStore, isAway: () => boolean): SessionStore {
  const known = new bounds.BoundedMap<string, Known>(mostKnown)
  const ask = inBatches(async (ids) => {
    const found = await withTimeLimit(answersWithinMs, Promise.resolve(shared.news(ids.map((id) => ({ id, version: -1 })))))
    return new Map(found.map(({ id, ...session }) => [id, session]))
  })

  function note(id: string, session: SharedSession | undefined): SharedSession | undefined {
    known.set(id, { at: performance.now(), session })
    return session
  }

  async function look(id: string): Promise<SharedSession | undefined> {
    try {
      return note(id, await ask(id))
    } catch {
      // Calls may continue during an outage of the database. Callers are authenticated separately, so an ended session grants no rights.
      return known.get(id)?.session
    }
  }

  return {
    read(id) {
      const found = known.get(id)
      const holds = found && (found.session?.ended || performance.now() - found.at < holdsMs)
      return holds || isAway() ? found?.session : look(id)
    },
    news: (listening) => (isAway() ? [] : shared.news(listening)),
    async change(id, change, forMs) {
      const session = await shared.change(id, change, forMs)
      note(id, session)
      return session
    },
    async end(id, forMs) {
      await shared.end(id, forMs)
      note(id, { ended: true, watched: [], version: 0 })
    },
  }
}

/** Runs one query at a time; requests that arrive meanwhile share the next one. */
function inBatches<Found>(askAll: (ids: readonly string[]) => Promise<ReadonlyMap<string, Found>>) {
  let last: Promise<unknown> = Promise.resolve()
  let next: { readonly ids: Set<string>; readonly answer: Promise<ReadonlyMap<string, Found>> } | undefined

  function begin() {
    const ids = new Set<string>()
    const answer = last.then(() => {
      next = undefined
      return askAll([...ids])
    })
    last = answer.catch(() => undefined) // each caller gets the error
    return { ids, answer }
  }

  return async (id: string): Promise<Found | undefined> => {
    next ??= begin()
    next.ids.add(id)
    return (await next.answer).get(id)
  }
}
