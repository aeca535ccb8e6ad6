import type { Application } from '../../../../peer/application.js'
import type { Caller } from '../../../../tools/caller.js'
import type { StreamRules } from '../streams/event-stream.js'
import type { HttpSession } from './http-session.js'

const restMs = 60_000

/** The sessions that are open in this process, by token; the least recently used make room. */
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

  return {
    get: (token: string) => open.get(token),
    all: () => [...open.values()],
    drop,
    keep(session: HttpSession): void {
      open.set(session.token, session)
      app.join(session.conversation)
      const idleSince = performance.now() - sessionIdleMs
      for (const oldest of open.values()) {
        if (open.size <= most && oldest.usedAt > idleSince) return
        if (oldest.busy && open.size <= most) moveToEnd(oldest)
        else if (oldest !== session) drop(oldest)
      }
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
