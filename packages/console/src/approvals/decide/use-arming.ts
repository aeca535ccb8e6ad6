import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks'

// Nothing is allowed by a hand that was on its way already: what is shown has stood still for a moment, in a window that is looked at.

/** Milliseconds. */
export const armingMs = 500

/** What stands there, and since when; moments come from a clock that never goes back. */
type Arming = { readonly of: string; readonly since: number; readonly isLookedAt: boolean }

export const nothingArmed: Arming = { of: '', since: 0, isLookedAt: false }

/** Something else stands there, or the same has changed: the name says which, and the time begins anew. */
export const armAnew = (before: Arming, of: string, now: number): Arming =>
  before.of === of ? before : { ...before, of, since: now }

/** The window got or lost the eyes of its reader. */
export function withVisibility(before: Arming, isLookedAt: boolean, now: number): Arming {
  if (before.isLookedAt === isLookedAt) return before
  return { ...before, isLookedAt, since: isLookedAt ? now : before.since }
}

export const isArmed = (arming: Arming, of: string, now: number): boolean =>
  of !== '' && arming.of === of && arming.isLookedAt && now - arming.since >= armingMs

const isLookedAt = (): boolean => document.visibilityState === 'visible' && document.hasFocus()

/** Whether what is named has stood on the page for half a second, in a window that has the focus; ask again in the moment that counts. */
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
