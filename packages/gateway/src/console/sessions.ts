// Sessions of signed-in browsers: at most twelve hours, and half an hour after the last activity.
import { randomBytes } from 'node:crypto'
import type { MemoryMirror } from '../store/mirrored/memory-mirror.js'
import type { StoredSession } from '../store/store.js'
import type { LinkIssuer } from './login-links.js'
import { isSameToken, newToken, tokenDigest } from './tokens.js'

/** The credentials in each request: a cookie that the browser adds, and a key that only our own page can read. */
type SessionCredentials = { readonly cookie: string; readonly key: string }

const longestMs = 12 * 3_600_000
const idleMs = 30 * 60_000
const mostSessions = 8
/** Activity is stored at most this often, because each update is a write to the disk. */
const notedEveryMs = 60_000
/** Tolerance for corrections of the clock. */
const slackMs = 60_000

export class Sessions {
  readonly #kept: MemoryMirror<StoredSession>
  readonly #isValid: (session: StoredSession) => boolean
  readonly #now: () => number
  readonly #used = new Map<string, number>()
  readonly #listeners = new Set<(id: string) => void>()

  /** `isValid` says whether the credential that made the session's link still holds. */
  constructor(kept: MemoryMirror<StoredSession>, isValid: (session: StoredSession) => boolean = () => true, now = Date.now) {
    this.#kept = kept
    this.#isValid = isValid
    this.#now = now
    // Another gateway has ended the session.
    kept.onChange((id, session) => {
      if (!session) this.#noteEnd(id)
    })
  }

  /**
   * Starts a session; beyond the limit, the session that was unused for longest ends. A session that the new one replaces does not count;
   * the caller ends it.
   */
  async begin(
    browser: string,
    maker: LinkIssuer = {},
    replaced?: string,
  ): Promise<SessionCredentials & { session: StoredSession }> {
    const [cookie, key] = [newToken(), newToken()]
    const now = this.#now()
    const session = {
      id: randomBytes(3).toString('hex'),
      ...{ cookie: tokenDigest(cookie), key: tokenDigest(key), browser: browser.slice(0, 200) },
      ...{ startedAt: now, usedAt: now, ...maker },
    }
    const old = this.list()
      .filter(({ id }) => id !== replaced)
      .slice(mostSessions - 1)
    await Promise.all(old.map(({ id }) => this.end(id)))
    await this.#kept.put(session.id, session)
    return { session, cookie, key }
  }

  /** The session of both credentials: a cookie alone is not enough, because browsers send it to every port of this machine. */
  find({ cookie, key }: SessionCredentials): StoredSession | undefined {
    return this.list().filter((one) => [isSameToken(cookie, one.cookie), isSameToken(key, one.key)].every(Boolean))[0]
  }

  ofCookie(cookie: string): StoredSession | undefined {
    return this.list().filter((one) => isSameToken(cookie, one.cookie))[0]
  }

  use({ id }: StoredSession): void {
    const session = this.#kept.get(id)
    if (!session) return
    const usedAt = this.#now()
    this.#used.set(id, usedAt)
    // A failed write is reported by the store; until then, memory has the time.
    if (usedAt - session.usedAt >= notedEveryMs) void this.#kept.put(id, { ...session, usedAt }).catch(() => undefined)
  }

  /** The valid sessions, the latest used first. */
  list(): readonly StoredSession[] {
    const all = this.#kept.entries().map(([, session]) => ({ ...session, usedAt: this.#usedAt(session) }))
    const over = all.filter((session) => !this.#holds(session))
    for (const { id } of over) void this.end(id).catch(() => undefined)
    return all.filter((session) => !over.includes(session)).sort((one, other) => other.usedAt - one.usedAt)
  }

  times({ startedAt, usedAt, until = Infinity }: StoredSession) {
    const endsAt = Math.min(startedAt + longestMs, until)
    return { endsAt, idleEndsAt: Math.min(endsAt, usedAt + idleMs) }
  }

  async end(id: string): Promise<void> {
    const dropped = this.#kept.drop(id)
    this.#noteEnd(id)
    await dropped
  }

  /** Calls the listener with the id of each session that ends, until the returned function is called. */
  onEnd(listener: (id: string) => void): () => void {
    this.#listeners.add(listener)
    return () => void this.#listeners.delete(listener)
  }

  #noteEnd(id: string): void {
    this.#used.delete(id)
    for (const listener of this.#listeners) listener(id)
  }

  /** The latest use, here or at another gateway. */
  #usedAt({ id, usedAt }: StoredSession): number {
    return Math.max(this.#used.get(id) ?? 0, usedAt)
  }

  #holds(session: StoredSession): boolean {
    const now = this.#now()
    if (session.byKey || !this.#isValid(session)) return false
    // A clock that was set back prolongs no session.
    return now < this.times(session).idleEndsAt && now > Math.max(session.startedAt, this.#usedAt(session)) - slackMs
  }
}
