import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks'
import { armAnew, armingMs, isArmed, nothingArmed, withVisibility } from './arming.js'

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
    for (const name of ['focus', 'blur']) addEventListener(name, watch)
    document.addEventListener('visibilitychange', watch)
    return () => {
      clearTimeout(timer)
      for (const name of ['focus', 'blur']) removeEventListener(name, watch)
      document.removeEventListener('visibilitychange', watch)
    }
  }, [of])
  return { looksArmed: isArmedNow(), isArmedNow }
}
