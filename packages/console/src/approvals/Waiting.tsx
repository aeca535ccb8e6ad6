import { useEffect, useState } from 'preact/hooks'
import { useEvents } from '../api/loaded.js'
import { goTo, href, replaceRoute, route } from '../page/route.js'
import { Empty, Loading } from '../parts/Empty.js'
import { Trouble } from '../parts/Trouble.js'
import { CallList } from './CallList.js'
import { follow, isLoaded, load, queue, refreshOne, tidy, trouble } from './following.js'
import { KeyHelp } from './KeyHelp.js'
import { MissingCall } from './MissingCall.js'
import { PendingCall } from './PendingCall.js'
import { entryOf } from './queue.js'
import { idsShown, neighbour, type Reach } from './reach.js'
import { useChosen } from './use-chosen.js'
import { useKeys } from './use-keys.js'

/** How long one can read what became of a call before it leaves the list, at least. */
const tidyMs = 3_000

/** The queue on one side, the call that is looked at on the other; on narrow screens one after the other. */
export function Waiting() {
  const [reach, setReach] = useState<Reach>(new Map())
  const chosen = useChosen()
  useEffect(follow, [])
  useEffect(() => {
    const timer = setInterval(() => tidy(chosen), tidyMs)
    return () => clearInterval(timer)
  }, [chosen])
  // What is looked at may stand on a page that is not read again.
  useEvents(['pin', 'policy', 'upstream'], () => {
    if (chosen && entryOf(queue.value, chosen)) refreshOne(chosen)
  })
  useKeys(false, (act) => {
    if (act !== 'next' && act !== 'previous') return false
    const id = neighbour(idsShown(queue.value, reach, chosen), chosen, act === 'next' ? 1 : -1)
    if (id !== undefined) choose(id)
    return id !== undefined
  })
  if (!isLoaded.value)
    return trouble.value ? (
      <Trouble title="The calls that wait could not be loaded" error={trouble.value} onRetry={load} />
    ) : (
      <Loading what="what waits" />
    )
  return (
    <>
      {trouble.value !== undefined && <Trouble title="The queue may be old" error={trouble.value} onRetry={load} />}
      {queue.value.groups.length === 0 && !chosen ? (
        <NothingWaits />
      ) : (
        <QueueAndCall reach={reach} chosen={chosen} onReach={setReach} />
      )}
    </>
  )
}

type SidesProps = { readonly reach: Reach; readonly chosen: string | undefined; readonly onReach: (reach: Reach) => void }

function QueueAndCall({ reach, chosen, onReach }: SidesProps) {
  const isNamed = route.value.path[0] !== undefined
  const entry = entryOf(queue.value, chosen)
  return (
    <div class={isNamed ? 'queue-and-call call-first' : 'queue-and-call'}>
      <div class="queue-side">
        <CallList queue={queue.value} reach={reach} chosen={chosen} onChoose={choose} onReach={onReach} />
        <KeyHelp />
      </div>
      <div class="call-side">
        {isNamed && (
          <p class="back-to-queue">
            <a href={href(['approvals'])}>All calls that wait</a>
          </p>
        )}
        {entry ? <PendingCall key={entry.approval.id} entry={entry} /> : chosen && <MissingCall key={chosen} id={chosen} />}
      </div>
    </div>
  )
}

/** The way back leads to the list, not through all that was looked at. */
const choose = (id: string): void => (route.value.path[0] ? replaceRoute : goTo)(['approvals', id])

const NothingWaits = () => (
  <Empty icon="approvals" title="Nothing waits for a decision">
    <p>
      Calls appear here when a rule says <code>ask</code> of them. Without rules, that is every call of a tool that may change
      something.
    </p>
  </Empty>
)
