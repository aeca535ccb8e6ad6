import type { Application } from '../../../../peer/application.js'
import { type Caller, isCrowd } from '../../../../tools/caller.js'
import { Refusal } from '../../../../tools/refusal.js'
import type { StreamRules } from '../streams/event-stream.js'
import type { HttpSession } from './http-session.js'

const restMs = 60_000
const retryAfterMs = 5_000

/** The sessions that are open in this process, by token; idle ones make room, the least recently used first. */
export function openSessions(app: Application, { limits }: StreamRules) {
  const { sessions: most, sessionIdleMs, sessionMs } = limits
  /** Least recently used first. */
  const open = new Map<string, HttpSession>()

  function drop(session: HttpSession): undefined {
    open.delete(session.token)
    session.end()
    app.leave(session.conversation)
  }

  function moveToEnd(session: HttpSession): void {
    open.delete(session.token)
    open.set(session.token, session)
    session.usedAt = performance.now()
  }

  /** Drops sessions that are idle for long or too many, and no work of another caller. */
  function makeRoom(caller: Caller): void {
    const idleSince = performance.now() - sessionIdleMs
    // Busy sessions go to the end, where the iteration would meet them again.
    let unseen = open.size
    for (const oldest of open.values()) {
      if (unseen-- === 0 || (open.size < most && oldest.usedAt > idleSince)) break
      if (oldest.busy) moveToEnd(oldest)
      else drop(oldest)
    }
    if (open.size < most) return
    const own = isCrowd(caller) ? undefined : [...open.values()].find(({ conversation }) => conversation.caller.id === caller.id)
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
      app.join(session.conversation)
    },
    /** The session, if this caller may still use it. */
    claim(session: HttpSession, caller: Caller): HttpSession | undefined {
      if (Date.now() - session.openedAt > sessionMs) return drop(session)
      if (session.conversation.caller.id !== caller.id) return undefined
      const now = performance.now()
      if (now - session.usedAt > restMs) moveToEnd(session)
      session.usedAt = now
      session.conversation.caller = caller
      return session
    },
  }
}
