import type { Application } from '../../../../peer/application.js'
import { type Caller, isCrowd } from '../../../../tools/caller.js'
import { Refusal } from '../../../../tools/refusal.js'
import type { StreamRules } from '../streams/event-stream.js'
import type { HttpSession } from './http-session.js'
import { SessionShares } from './session-shares.js'

const restMs = 60_000
const retryAfterMs = 5_000
/** Busy sessions of the caller who has the most are not looked at again for so long. */
const allBusyMs = 1_000

/** The sessions that are open in this process, by token; idle ones make room, first those of the caller who has the most. */
export function openSessions(app: Application, { limits }: StreamRules) {
  const { sessions: most, sessionIdleMs, sessionMs } = limits
  /** Least recently used first. */
  const open = new Map<string, HttpSession>()
  const shares = new SessionShares()

  function drop(session: HttpSession): undefined {
    open.delete(session.token)
    shares.delete(session)
    session.end()
    app.leave(session.conversation)
  }

  function moveToEnd(session: HttpSession, state: 'idle' | 'busy'): void {
    open.delete(session.token)
    open.set(session.token, session)
    shares.put(session, state)
    session.usedAt = performance.now()
  }

  /** Drops idle sessions, the least recently used first, until one is met for which that is enough. */
  function dropIdle(
    sessions: Pick<ReadonlySet<HttpSession>, 'size' | 'values'>,
    isEnough: (oldest: HttpSession) => boolean,
  ): void {
    // Busy sessions go to the end, where the iteration would meet them again.
    let unseen = sessions.size
    for (const oldest of sessions.values()) {
      if (unseen-- === 0 || isEnough(oldest)) break
      if (oldest.busy) moveToEnd(oldest, 'busy')
      else drop(oldest)
    }
  }

  const isRoom = () => open.size < most

  /** Drops the oldest idle session of the caller who has the most, so that a flood of sessions ends none of another caller. */
  function dropOfLargest(now: number): void {
    const { largest } = shares
    if (!largest) return
    dropIdle(largest.idle, isRoom)
    if (isRoom() || now - largest.allBusyAt < allBusyMs) return
    dropIdle(largest.busy, isRoom)
    if (!isRoom()) largest.allBusyAt = now
  }

  /** Drops sessions that are idle for long or too many, and no work of another caller. */
  function makeRoom(caller: Caller): void {
    const now = performance.now()
    dropIdle(open, ({ usedAt }) => usedAt > now - sessionIdleMs)
    if (!isRoom()) dropOfLargest(now)
    if (!isRoom()) dropIdle(open, isRoom)
    if (isRoom()) return
    const [own] = isCrowd(caller) ? [] : (shares.of(caller.id)?.busy ?? [])
    if (!own) throw new Refusal('busy', `All ${most} sessions of this server are in use; try again in 5 s`, { retryAfterMs })
    drop(own)
  }

  return {
    get: (token: string) => open.get(token),
    all: () => [...open.values()],
    drop,
    /** Refuses the session if there is no room for it. */
    keep(session: HttpSession): void {
      makeRoom(session.conversation.caller)
      open.set(session.token, session)
      shares.put(session, 'idle')
      app.join(session.conversation)
    },
    /** The session, if this caller may still use it. */
    claim(session: HttpSession, caller: Caller): HttpSession | undefined {
      if (Date.now() - session.openedAt > sessionMs) return drop(session)
      if (session.conversation.caller.id !== caller.id) return undefined
      const now = performance.now()
      if (now - session.usedAt > restMs) moveToEnd(session, 'idle')
      session.usedAt = now
      session.conversation.caller = caller
      return session
    },
  }
}
