import { useCallback, useEffect, useLayoutEffect, useMemo, useRef, useState } from 'preact/hooks'
import type { Approval } from '../../api/types.js'
import { argumentPieces } from './argument-pieces.js'
import { blockName, firstUnseen, nothingSeen, type SeenBlocks, withSeen } from './seen-blocks.js'

/** What stands under the head of the page, or under the buttons at its end, cannot be read. */
const covered = '-96px 0px -88px 0px'

/** Which ends of blocks have been on the screen; they carry their name as `data-block`. With another name it begins anew. */
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
/** What has been read of a call stays read while another one is looked at. */
const seenBefore = new Map<string, SeenBlocks>()

function remember(of: string, names: readonly string[]): void {
  const seen = withSeen(seenBefore.get(of) ?? nothingSeen, names)
  seenBefore.delete(of)
  seenBefore.set(of, seen)
  const [oldest] = seenBefore.keys()
  if (seenBefore.size > mostRemembered && oldest !== undefined) seenBefore.delete(oldest)
}

/** The arguments of a call as they are read: which of them are unfolded and have been on the screen, and the way to the rest. */
export function useReading({ digest, arguments: args }: Approval, place: { readonly current: HTMLElement | null }) {
  const pieces = useMemo(() => argumentPieces(args), [digest])
  const { seen, watch } = useSeenBlocks(digest)
  const [unfolded, setUnfolded] = useState<ReadonlySet<number>>(new Set())
  const goTo = useRef<string | undefined>(undefined)
  const unfold = (piece: number, isUnfolded: boolean) =>
    setUnfolded((before) => new Set([...[...before].filter((one) => one !== piece), ...(isUnfolded ? [piece] : [])]))
  /** False where nothing is left. */
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
