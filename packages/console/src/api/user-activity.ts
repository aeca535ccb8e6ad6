// Tracks if the user is active, because automatic requests must not keep a session alive.
import { sessionHeader } from './session.js'

const presentMs = 60_000
let lastActiveAt = Date.now()
let lastSentAt = Date.now()

export const isUserActive = (): boolean => Date.now() - lastActiveAt < presentMs

/** Headers that mark a request without user activity, so that an idle session ends. */
export function activityHeader(): Record<string, string> {
  if (!isUserActive()) return { 'x-toolwire-unattended': '1' }
  lastSentAt = Date.now()
  return {}
}

const signs = ['pointermove', 'pointerdown', 'keydown', 'wheel', 'touchstart'] as const

/**
 * Watches for mouse, keyboard and touch input until the signal aborts. If no request was sent since, it tells the gateway that
 * the user is active.
 */
export function trackUserActivity(signal: AbortSignal): void {
  const here = () => {
    lastActiveAt = Date.now()
    if (lastActiveAt - lastSentAt < presentMs) return
    lastSentAt = lastActiveAt
    // A failed session shows up in the next request of the page.
    fetch('/session', { headers: sessionHeader() }).catch(() => undefined)
  }
  for (const sign of signs) addEventListener(sign, here, { passive: true, signal })
}
