import { useLayoutEffect, useRef, useState } from 'preact/hooks'

export type ScrollPosition = { readonly scrolled: number; readonly seen: number }

/** How far an element is scrolled and how much of it is seen, in pixels; `look` is to be called when it scrolls. */
export function useScrollPosition(
  place: { readonly current: HTMLElement | null },
  onLook: (now: ScrollPosition) => void,
): ScrollPosition & { look: () => void } {
  const [view, setView] = useState<ScrollPosition>({ scrolled: 0, seen: 600 })
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
