import { useLayoutEffect, useRef, useState } from 'preact/hooks'

export type Scrolled = { readonly scrolled: number; readonly seen: number }

/** How far an element is scrolled and how much of it is seen, in pixels; `look` is to be called when it scrolls. */
export function useScrolled(
  place: { readonly current: HTMLElement | null },
  onLook: (now: Scrolled) => void,
): Scrolled & { look: () => void } {
  const [view, setView] = useState<Scrolled>({ scrolled: 0, seen: 600 })
  const latest = useRef(onLook)
  latest.current = onLook
  function look(): void {
    const { scrollTop: scrolled = 0, clientHeight: seen = 600 } = place.current ?? {}
    setView((before) => (before.scrolled === scrolled && before.seen === seen ? before : { scrolled, seen }))
    latest.current({ scrolled, seen })
  }
  useLayoutEffect(() => {
    const watching = new ResizeObserver(look)
    if (place.current) watching.observe(place.current)
    return () => watching.disconnect()
  }, [])
  return { ...view, look }
}
