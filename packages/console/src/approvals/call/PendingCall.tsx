import { useEffect, useLayoutEffect, useMemo, useRef } from 'preact/hooks'
import { DecisionButtons } from '../decide/DecisionButtons.js'
import { goToNext, isUnreadable } from '../decide/use-decision.js'
import { useKeys } from '../decide/use-keys.js'
import { queue } from '../queue/follow-queue.js'
import { nextPending, type QueueEntry } from '../queue/queue.js'
import { ArgumentList } from './ArgumentList.js'
import { argumentChanges } from './argument-changes.js'
import { CallEnding } from './CallEnding.js'
import { CallFacts } from './CallFacts.js'
import { ChangesSinceLast } from './ChangesSinceLast.js'
import { unseenPieces } from './seen-blocks.js'
import { useReading } from './use-reading.js'

/** A call with everything that a person needs to decide about it. */
export function PendingCall({ entry }: { readonly entry: QueueEntry }) {
  const { approval, ending } = entry
  const { digest, last } = approval
  const changes = useMemo(() => (last && !last.cut ? argumentChanges(last.arguments, approval.arguments) : undefined), [digest])
  const place = useRef<HTMLElement>(null)
  const reading = useReading(approval, place)
  usePassedFocus(place)
  useLaterCall(entry)
  useKeys(false, (act) => act === 'unfold' && reading.showRest())

  return (
    <article class="card pending-call stack far" ref={place} tabIndex={-1} aria-labelledby="pending-call">
      <CallFacts approval={approval} isOver={ending !== undefined} />
      <ArgumentList reading={reading} changes={changes} unreadable={isUnreadable(approval) ? approval.display : undefined} />
      {!isUnreadable(approval) && <ChangesSinceLast last={last} changes={changes} />}
      {ending ? (
        <div class="deciding stack near">
          <CallEnding id={approval.id} ending={ending} />
        </div>
      ) : (
        <DecisionButtons approval={approval} unseen={unseenPieces(reading.pieces, reading.seen)} />
      )}
    </article>
  )
}

/**
 * Goes on to a call that comes after the last one was decided here, when no button is left that the user could be about to press. After a
 * decision made elsewhere, the buttons have just vanished under the pointer, so the user asks for the next call.
 */
function useLaterCall({ approval: { id }, ending }: QueueEntry): void {
  // A user who comes back to a decided call wants to read it.
  const wasPending = useRef(ending === undefined)
  const isDecidedHere = wasPending.current && ending?.here === true
  const hasNext = nextPending(queue.value, id) !== undefined
  useEffect(() => {
    if (isDecidedHere && hasNext) goToNext(id)
  }, [isDecidedHere, hasNext])
}

let hadFocus = false

/** Keeps the focus in the call when another call replaces it. */
function usePassedFocus(place: { readonly current: HTMLElement | null }): void {
  useLayoutEffect(() => {
    if (hadFocus) place.current?.focus({ preventScroll: true })
    hadFocus = false
    return () => {
      hadFocus = place.current?.contains(document.activeElement) ?? false
    }
  }, [])
}
