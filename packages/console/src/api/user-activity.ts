// Tracks if the user is active, because automatic requests must not keep a session alive.
import { sessionHeader } from './session.js'

const presentMs = 60_000
let lastHere = Date.now()
let lastTold = Date.now()

export const isUserActive = (): boolean => Date.now() - lastHere < presentMs

/** Headers that mark a request without user activity, so that an idle session ends. */
export function activityHeader(): Record<string, string> {
  if (!isUserActive()) return { 'x-toolwire-unattended': '1' }
  lastTold = Date.now()
  return {}
}

const signs = ['pointermove', 'pointerdown', 'keydown', 'wheel', 'touchstart'] as const

/**
 * Watches for mouse, keyboard and touch input until the signal aborts. If no request was sent since, it tells the gateway that
 * the user is active.
 */
export function trackUserActivity(signal: AbortSignal): void {
  const here = () => {
    lastHere = Date.now()
    if (lastHere - lastTold < presentMs) return
    lastTold = lastHere
    // A failed session shows up in the next request of the page.
    fetch('/session', { headers: sessionHeader() }).catch(() => undefined)
  }
  for (const sign of signs) addEventListener(sign, here, { passive: true, signal })
}
