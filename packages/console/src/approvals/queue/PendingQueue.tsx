import { useEffect, useState } from 'preact/hooks'
import { useEvents } from '../../api/use-loaded.js'
import { currentRoute, goTo, href, replaceRoute } from '../../page/route.js'
import { Button } from '../../parts/Button.js'
import { Empty, LoadState } from '../../parts/LoadState.js'
import { Problem } from '../../parts/Problem.js'
import { PendingCall } from '../call/PendingCall.js'
import { useKeys } from '../decide/use-keys.js'
import { CallGroup } from './CallGroup.js'
import {
  dropEnded,
  followQueue,
  isQueueLoaded,
  loadQueue,
  queue,
  queueError,
  refreshApproval,
  shownCounts,
} from './follow-queue.js'
import { KeyHelp } from './KeyHelp.js'
import { MissingCall } from './MissingCall.js'
import { queueEntries, queueEntryOf } from './queue.js'
import { neighbour, shownIds } from './shown-entries.js'

const narrow = matchMedia('(max-width: 60rem)')

/** The selected call: the one in the address, or on wide screens the first. New calls do not change the selection. */
function useChosenCall(): string | undefined {
  const [first, setFirst] = useState<string | undefined>(undefined)
  const [isNarrow, setNarrow] = useState(narrow.matches)
  const inAddress = currentRoute.value.path[0]
  const entries = queueEntries(queue.value)
  useEffect(() => {
    const onChange = () => setNarrow(narrow.matches)
    narrow.addEventListener('change', onChange)
    return () => narrow.removeEventListener('change', onChange)
  }, [])
  useEffect(() => {
    if (first === undefined || !entries.some(({ approval }) => approval.id === first))
      setFirst(entries.find(({ ending }) => !ending)?.approval.id)
  }, [entries, first])
  return inAddress ?? (isNarrow ? undefined : first)
}

/** Minimum time for which an ended call stays in the list. */
const tidyMs = 3_000

/** The queue beside the selected call; on narrow screens one at a time. */
export function PendingQueue() {
  const chosen = useChosenCall()
  useEffect(followQueue, [])
  useEffect(() => {
    const timer = setInterval(() => dropEnded(chosen), tidyMs)
    return () => clearInterval(timer)
  }, [chosen])
  // The selected call may be on a page of the queue that is not reloaded.
  useEvents(['pin', 'policy', 'upstream'], () => {
    if (chosen && queueEntryOf(queue.value, chosen)) refreshApproval(chosen)
  })
  useKeys(false, (act) => {
    if (act !== 'next' && act !== 'previous') return false
    const id = neighbour(shownIds(queue.value, shownCounts.value, chosen), chosen, act === 'next' ? 1 : -1)
    if (id !== undefined) choose(id)
    return id !== undefined
  })
  if (!isQueueLoaded.value) {
    const loaded = { value: undefined, trouble: queueError.value, reload: loadQueue }
    return <LoadState of={loaded} what="the pending calls" title="The pending calls could not be loaded" />
  }
  return (
    <>
      {queueError.value !== undefined && (
        <Problem title="The queue may be out of date" error={queueError.value} onRetry={loadQueue} />
      )}
      {queue.value.groups.length === 0 && !chosen ? <EmptyQueue /> : <QueueAndCall chosen={chosen} />}
    </>
  )
}

type SidesProps = { readonly chosen: string | undefined }

function QueueAndCall({ chosen }: SidesProps) {
  const isNamed = currentRoute.value.path[0] !== undefined
  const entry = queueEntryOf(queue.value, chosen)
  return (
    <div class={isNamed ? 'queue-and-call call-first' : 'queue-and-call'}>
      <div class="queue-side">
        <CallList chosen={chosen} />
        <KeyHelp />
      </div>
      <div class="call-side">
        {isNamed && (
          <p class="back-to-queue">
            <a href={href(['approvals'])}>All pending calls</a>
          </p>
        )}
        {entry ? <PendingCall key={entry.approval.id} entry={entry} /> : chosen && <MissingCall key={chosen} id={chosen} />}
      </div>
    </div>
  )
}

const groupsAtOnce = 20

/** All pending calls in groups, the most dangerous first. */
function CallList({ chosen }: SidesProps) {
  const [most, setMost] = useState(groupsAtOnce)
  const { groups } = queue.value
  return (
    <section class="queue stack" aria-label="Pending calls" data-queue>
      {groups.slice(0, most).map((group) => (
        <CallGroup key={group.key} group={group} chosen={chosen} onChoose={choose} />
      ))}
      {groups.length > most && (
        <Button variant="quiet" onClick={() => setMost(most + groupsAtOnce)}>
          Show more groups: {groups.length - most} left
        </Button>
      )}
    </section>
  )
}

/** Replaces the route of another call, so that Back leads to the list. */
const choose = (id: string): void => (currentRoute.value.path[0] ? replaceRoute : goTo)(['approvals', id])

const EmptyQueue = () => (
  <Empty icon="approvals" title="No pending calls">
    <p>
      Calls appear here when a rule with <code>ask</code> matches. Without rules, every call of a tool that may change something
      needs an approval.
    </p>
  </Empty>
)
