import { useCallback, useLayoutEffect, useRef, useState } from 'preact/hooks'
import { nothingSeen, type SeenBlocks, withSeen } from './seen-blocks.js'

/** What stands under the head of the page, or under the buttons at its end, cannot be read. */
const covered = '-96px 0px -88px 0px'

/** Which ends of blocks have been on the screen; they carry their name as `data-block`. With another name it begins anew. */
export function useSeenBlocks(of: string): { readonly seen: SeenBlocks; readonly watch: (end: Element | null) => void } {
  const [state, setState] = useState({ of, seen: seenBefore.get(of) ?? nothingSeen })
  const watching = useRef<IntersectionObserver | undefined>(undefined)
  const current = useRef(of)
  current.current = of
  const observer = useCallback(() => {
    watching.current ??= new IntersectionObserver(
      (entries) => {
        const names = entries.flatMap(({ isIntersecting, target }) =>
          isIntersecting ? [target.getAttribute('data-block') ?? ''] : [],
        )
        const seen = withSeen(seenBefore.get(current.current) ?? nothingSeen, names)
        remember(current.current, seen)
        setState({ of: current.current, seen })
      },
      { rootMargin: covered },
    )
    return watching.current
  }, [])
  useLayoutEffect(
    () => () => {
      watching.current?.disconnect()
      watching.current = undefined
    },
    [of],
  )
  const watch = useCallback((end: Element | null) => void (end && observer().observe(end)), [observer])
  return { seen: state.of === of ? state.seen : (seenBefore.get(of) ?? nothingSeen), watch }
}

const mostRemembered = 50
/** What has been read of a call stays read while another one is looked at. */
const seenBefore = new Map<string, SeenBlocks>()

function remember(of: string, seen: SeenBlocks): void {
  seenBefore.delete(of)
  seenBefore.set(of, seen)
  const [oldest] = seenBefore.keys()
  if (seenBefore.size > mostRemembered && oldest !== undefined) seenBefore.delete(oldest)
}
