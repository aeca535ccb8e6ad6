import { useEffect, useLayoutEffect, useMemo, useRef, useState } from 'preact/hooks'
import { CallFacts } from './CallFacts.js'
import { changesBetween } from './changes.js'
import { Deciding } from './Deciding.js'
import { Ended } from './Ended.js'
import { piecesOf } from './pieces.js'
import type { Entry } from './queue.js'
import { SinceLast } from './SinceLast.js'
import { blockName, firstUnseen, unseenPieces } from './seen.js'
import { useKeys } from './use-keys.js'
import { useSeen } from './use-seen.js'
import { WhatWillBeSent } from './WhatWillBeSent.js'

/** The focus was in the call that stood here before: it goes on from this one. */
let hadFocus = false

/** A call with everything that somebody needs to know to decide about it. */
export function PendingCall({ entry: { approval, ending } }: { readonly entry: Entry }) {
  const { digest, last } = approval
  const pieces = useMemo(() => piecesOf(approval.arguments), [digest])
  const changes = useMemo(() => last && changesBetween(last.arguments, approval.arguments), [digest])
  const { seen, watch } = useSeen(digest)
  const [unfolded, setUnfolded] = useState<ReadonlySet<number>>(new Set())
  const place = useRef<HTMLElement>(null)
  const goTo = useRef<string | undefined>(undefined)

  const unfold = (piece: number, isUnfolded: boolean) =>
    setUnfolded((before) => new Set([...[...before].filter((one) => one !== piece), ...(isUnfolded ? [piece] : [])]))
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
  useLayoutEffect(() => {
    if (hadFocus) place.current?.focus({ preventScroll: true })
    hadFocus = false
    return () => {
      hadFocus = place.current?.contains(document.activeElement) ?? false
    }
  }, [])
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
