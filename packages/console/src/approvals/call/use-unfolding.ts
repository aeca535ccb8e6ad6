import { useEffect, useRef, useState } from 'preact/hooks'
import type { ArgumentPieces } from './argument-pieces.js'
import { blockName, firstUnseen, type SeenBlocks } from './seen-blocks.js'

type Shown = {
  readonly pieces: ArgumentPieces
  readonly seen: SeenBlocks
  readonly place: { readonly current: HTMLElement | null }
}

/** Which arguments are unfolded, and the way to what has not been on the screen. */
export function useUnfolding({ pieces, seen, place }: Shown) {
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
  return { unfolded, unfold, showRest }
}
