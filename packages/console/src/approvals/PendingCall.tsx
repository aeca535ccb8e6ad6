import { useLayoutEffect, useMemo, useRef } from 'preact/hooks'
import { CallFacts } from './CallFacts.js'
import { changesBetween } from './changes.js'
import { Deciding } from './Deciding.js'
import { Ended } from './Ended.js'
import { piecesOf } from './pieces.js'
import type { Entry } from './queue.js'
import { SinceLast } from './SinceLast.js'
import { unseenPieces } from './seen.js'
import { useKeys } from './use-keys.js'
import { useSeen } from './use-seen.js'
import { useUnfolding } from './use-unfolding.js'
import { WhatWillBeSent } from './WhatWillBeSent.js'

/** A call with everything that somebody needs to know to decide about it. */
export function PendingCall({ entry: { approval, ending } }: { readonly entry: Entry }) {
  const { digest, last } = approval
  const pieces = useMemo(() => piecesOf(approval.arguments), [digest])
  const changes = useMemo(() => last && changesBetween(last.arguments, approval.arguments), [digest])
  const { seen, watch } = useSeen(digest)
  const place = useRef<HTMLElement>(null)
  const { unfolded, unfold, showRest } = useUnfolding({ pieces, seen, place })
  usePassedFocus(place)
  useKeys(false, (act) => act === 'unfold' && showRest())

  return (
    <article class="card pending-call" ref={place} tabIndex={-1} aria-labelledby="pending-call">
      <CallFacts approval={approval} isOver={ending !== undefined} />
      <WhatWillBeSent
        pieces={pieces}
        changes={changes}
        seen={seen}
        watch={watch}
        unfolded={unfolded}
        onUnfold={unfold}
        onRest={showRest}
      />
      <SinceLast last={last} changes={changes} />
      {ending ? (
        <div class="deciding">
          <Ended ending={ending} />
        </div>
      ) : (
        <Deciding approval={approval} unseen={unseenPieces(pieces, seen)} />
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
