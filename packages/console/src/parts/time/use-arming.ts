import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks'

// Prevents an approval by a misplaced click: a call can be allowed only after it has been visible, unchanged, for a moment.

export const armingMs = 500

/** The name of what is shown, and the time since when; times come from a monotonic clock. */
type Arming = { readonly of: string; readonly since: number; readonly isLookedAt: boolean }

export const nothingArmed: Arming = { of: '', since: 0, isLookedAt: false }

/** Restarts the time if the name has changed. */
export const armAnew = (before: Arming, of: string, now: number): Arming =>
  before.of === of ? before : { ...before, of, since: now }

/** Notes if the window is visible and focused; the time restarts when it becomes so. */
export function withVisibility(before: Arming, isLookedAt: boolean, now: number): Arming {
  if (before.isLookedAt === isLookedAt) return before
  return { ...before, isLookedAt, since: isLookedAt ? now : before.since }
}

export const isArmed = (arming: Arming, of: string, now: number): boolean =>
  of !== '' && arming.of === of && arming.isLookedAt && now - arming.since >= armingMs

const isLookedAt = (): boolean => document.visibilityState === 'visible' && document.hasFocus()

/** Has the named content been visible for half a second, in a focused window? Call `isArmedNow` again at the moment of approval. */
export function useArming(of: string): { readonly looksArmed: boolean; readonly isArmedNow: () => boolean } {
  const arming = useRef(nothingArmed)
  const [, look] = useState(0)
  const isArmedNow = () => isArmed(arming.current, of, performance.now())
  useLayoutEffect(() => {
    arming.current = armAnew(withVisibility(arming.current, isLookedAt(), performance.now()), of, performance.now())
  }, [of])
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined
    const watch = () => {
      arming.current = withVisibility(arming.current, isLookedAt(), performance.now())
      look((before) => before + 1)
      clearTimeout(timer)
      timer = setTimeout(() => look((before) => before + 1), armingMs + 20)
    }
    watch()
    const over = new AbortController()
    for (const name of ['focus', 'blur']) addEventListener(name, watch, { signal: over.signal })
    document.addEventListener('visibilitychange', watch, { signal: over.signal })
    return () => {
      clearTimeout(timer)
      over.abort()
    }
  }, [of])
  return { looksArmed: isArmedNow(), isArmedNow }
}
