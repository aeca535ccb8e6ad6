import { useCallback, useEffect, useLayoutEffect, useMemo, useRef, useState } from 'preact/hooks'
import type { Approval } from '../../api/types.js'
import { argumentPieces } from './argument-pieces.js'
import { blockName, firstUnseen, nothingSeen, type SeenBlocks, withSeen } from './seen-blocks.js'

/** Text under the page header, or under the sticky buttons, cannot be read. */
const covered = '-96px 0px -88px 0px'

/** Tracks blocks whose end has been on the screen, by their `data-block`. Another call starts again. */
function useSeenBlocks(of: string) {
  const [, look] = useState(0)
  const watching = useRef<IntersectionObserver | undefined>(undefined)
  const current = useRef(of)
  current.current = of
  const watch = useCallback((end: Element | null) => {
    watching.current ??= new IntersectionObserver(
      (entries) => {
        const seen = entries.filter(({ isIntersecting }) => isIntersecting)
        remember(
          current.current,
          seen.map(({ target }) => target.getAttribute('data-block') ?? ''),
        )
        look((before) => before + 1)
      },
      { rootMargin: covered },
    )
    if (end) watching.current.observe(end)
  }, [])
  useLayoutEffect(
    () => () => {
      watching.current?.disconnect()
      watching.current = undefined
    },
    [of],
  )
  return { seen: seenBefore.get(of) ?? nothingSeen, watch }
}

const mostRemembered = 50
/** Keeps the blocks seen of recent calls, so that a return to a call needs no second reading. */
const seenBefore = new Map<string, SeenBlocks>()

function remember(of: string, names: readonly string[]): void {
  const seen = withSeen(seenBefore.get(of) ?? nothingSeen, names)
  seenBefore.delete(of)
  seenBefore.set(of, seen)
  const [oldest] = seenBefore.keys()
  if (seenBefore.size > mostRemembered && oldest !== undefined) seenBefore.delete(oldest)
}

/** State of reading the arguments: the unfolded ones, the blocks seen, and a way to show the rest. */
export function useReading({ digest, arguments: args }: Approval, place: { readonly current: HTMLElement | null }) {
  const pieces = useMemo(() => argumentPieces(args), [digest])
  const { seen, watch } = useSeenBlocks(digest)
  const [unfolded, setUnfolded] = useState<ReadonlySet<number>>(new Set())
  const goTo = useRef<string | undefined>(undefined)
  const unfold = (piece: number, isUnfolded: boolean) =>
    setUnfolded((before) => new Set([...[...before].filter((one) => one !== piece), ...(isUnfolded ? [piece] : [])]))
  /** Returns false if nothing is left to show. */
  function showRest(): boolean {
    const next = pieces.mustBeSeen ? firstUnseen(pieces, seen) : undefined
    if (!next) return false
    goTo.current = blockName(next.piece, next.block)
    unfold(next.piece, true)
    return true
  }
  useEffect(() => {
    if (goTo.current === undefined) return
    place.current?.querySelector(`[data-block="${goTo.current}"]`)?.scrollIntoView({ block: 'center' })
    goTo.current = undefined
  })
  return { pieces, seen, watch, unfolded, unfold, showRest }
}

export type Reading = ReturnType<typeof useReading>
