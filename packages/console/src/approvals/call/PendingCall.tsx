import { useEffect, useLayoutEffect, useMemo, useRef, useState } from 'preact/hooks'
import { DecisionButtons } from '../decide/DecisionButtons.js'
import { useKeys } from '../decide/use-keys.js'
import type { QueueEntry } from '../queue/queue.js'
import { ArgumentList } from './ArgumentList.js'
import { argumentChanges } from './argument-changes.js'
import { type ArgumentPieces, argumentPieces } from './argument-pieces.js'
import { CallEnding } from './CallEnding.js'
import { CallFacts } from './CallFacts.js'
import { ChangesSinceLast } from './ChangesSinceLast.js'
import { blockName, firstUnseen, type SeenBlocks, unseenPieces } from './seen-blocks.js'
import { useSeenBlocks } from './use-seen-blocks.js'

/** A call with everything that somebody needs to know to decide about it. */
export function PendingCall({ entry: { approval, ending } }: { readonly entry: QueueEntry }) {
  const { digest, last } = approval
  const pieces = useMemo(() => argumentPieces(approval.arguments), [digest])
  const changes = useMemo(() => last && argumentChanges(last.arguments, approval.arguments), [digest])
  const { seen, watch } = useSeenBlocks(digest)
  const place = useRef<HTMLElement>(null)
  const { unfolded, unfold, showRest } = useUnfolding({ pieces, seen, place })
  usePassedFocus(place)
  useKeys(false, (act) => act === 'unfold' && showRest())

  return (
    <article class="card pending-call stack far" ref={place} tabIndex={-1} aria-labelledby="pending-call">
      <CallFacts approval={approval} isOver={ending !== undefined} />
      <ArgumentList
        pieces={pieces}
        changes={changes}
        seen={seen}
        watch={watch}
        unfolded={unfolded}
        onUnfold={unfold}
        onRest={showRest}
      />
      <ChangesSinceLast last={last} changes={changes} />
      {ending ? (
        <div class="deciding stack near">
          <CallEnding ending={ending} />
        </div>
      ) : (
        <DecisionButtons approval={approval} unseen={unseenPieces(pieces, seen)} />
      )}
    </article>
  )
}

let hadFocus = false

/** Where the focus was in the call that stood here before, it goes on from this one. */
function usePassedFocus(place: { readonly current: HTMLElement | null }): void {
  useLayoutEffect(() => {
    if (hadFocus) place.current?.focus({ preventScroll: true })
    hadFocus = false
    return () => {
      hadFocus = place.current?.contains(document.activeElement) ?? false
    }
  }, [])
}

type Shown = {
  readonly pieces: ArgumentPieces
  readonly seen: SeenBlocks
  readonly place: { readonly current: HTMLElement | null }
}

/** Which arguments are unfolded, and the way to what has not been on the screen. */
function useUnfolding({ pieces, seen, place }: Shown) {
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
