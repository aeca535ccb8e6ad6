import { useLayoutEffect, useMemo, useRef } from 'preact/hooks'
import { DecisionButtons } from '../decide/DecisionButtons.js'
import { useKeys } from '../decide/use-keys.js'
import type { QueueEntry } from '../queue/queue.js'
import { ArgumentList } from './ArgumentList.js'
import { argumentChanges } from './argument-changes.js'
import { argumentPieces } from './argument-pieces.js'
import { CallEnding } from './CallEnding.js'
import { CallFacts } from './CallFacts.js'
import { ChangesSinceLast } from './ChangesSinceLast.js'
import { unseenPieces } from './seen-blocks.js'
import { useSeenBlocks } from './use-seen-blocks.js'
import { useUnfolding } from './use-unfolding.js'

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
    <article class="card pending-call" ref={place} tabIndex={-1} aria-labelledby="pending-call">
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
        <div class="deciding">
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
