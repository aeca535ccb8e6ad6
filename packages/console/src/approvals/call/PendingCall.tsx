import { useLayoutEffect, useMemo, useRef } from 'preact/hooks'
import { DecisionButtons } from '../decide/DecisionButtons.js'
import { isUnreadable } from '../decide/use-decision.js'
import { useKeys } from '../decide/use-keys.js'
import type { QueueEntry } from '../queue/queue.js'
import { ArgumentList } from './ArgumentList.js'
import { argumentChanges } from './argument-changes.js'
import { CallEnding } from './CallEnding.js'
import { CallFacts } from './CallFacts.js'
import { ChangesSinceLast } from './ChangesSinceLast.js'
import { unseenPieces } from './seen-blocks.js'
import { useReading } from './use-reading.js'

/** A call with everything that a person needs to decide about it. */
export function PendingCall({ entry: { approval, ending } }: { readonly entry: QueueEntry }) {
  const { digest, last } = approval
  const changes = useMemo(() => (last && !last.cut ? argumentChanges(last.arguments, approval.arguments) : undefined), [digest])
  const place = useRef<HTMLElement>(null)
  const reading = useReading(approval, place)
  usePassedFocus(place)
  useKeys(false, (act) => act === 'unfold' && reading.showRest())

  return (
    <article class="card pending-call stack far" ref={place} tabIndex={-1} aria-labelledby="pending-call">
      <CallFacts approval={approval} isOver={ending !== undefined} />
      <ArgumentList reading={reading} changes={changes} unreadable={isUnreadable(approval) ? approval.display : undefined} />
      {!isUnreadable(approval) && <ChangesSinceLast last={last} changes={changes} />}
      {ending ? (
        <div class="deciding stack near">
          <CallEnding ending={ending} />
        </div>
      ) : (
        <DecisionButtons approval={approval} unseen={unseenPieces(reading.pieces, reading.seen)} />
      )}
    </article>
  )
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
