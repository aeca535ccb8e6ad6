import { useMemo, useState } from 'preact/hooks'
import { finished, untold } from '../calls/activity.js'
import type { FinishedCall } from '../calls/finished-call.js'
import { href } from '../page/route.js'
import { Empty } from '../parts/Empty.js'
import { OutcomeBadge } from '../parts/OutcomeBadge.js'
import { type Column, Rows } from '../parts/Rows.js'
import { Text } from '../parts/Text.js'
import { Time } from '../parts/Time.js'
import { span } from '../parts/time-words.js'
import { LastMinuteBars } from './LastMinuteBars.js'
import { openRecord } from './open-record.js'
import { StreamTools } from './StreamTools.js'
import { type Filter, passes } from './stream-filter.js'

/** The calls that ended, the latest first: the last of those before this page was open, and all since. */
export function FinishedCalls() {
  const [filter, setFilter] = useState<Filter>({ text: '', outcome: 'all' })
  const [held, setHeld] = useState<readonly FinishedCall[]>()
  const all = held ?? finished.value
  const rows = useMemo(() => all.filter((call) => passes(filter, call)), [all, filter])
  const news = held ? (finished.value[0]?.key ?? 0) - (held[0]?.key ?? 0) : 0
  return (
    <section class="card live-part" aria-label="Finished calls">
      <header class="live-head">
        <h2>Finished</h2>
        <LastMinuteBars />
        <StreamTools
          filter={filter}
          onFilter={setFilter}
          isHeld={held !== undefined}
          news={news}
          onHold={(hold) => setHeld(hold ? finished.value : undefined)}
        />
      </header>
      <Untold />
      {rows.length > 0 ? (
        <Rows
          label="Finished calls"
          class="finished"
          rows={rows}
          columns={columns}
          keyOf={({ key }) => key}
          height={34}
          onOpen={({ record }) => void openRecord(record)}
        />
      ) : all.length > 0 ? (
        <Empty icon="search" title="Nothing here fits">
          Of {all.length.toLocaleString()} calls none has this outcome, and this text in its tool, caller or server.
        </Empty>
      ) : (
        <Empty icon="clock" title="No call has ended yet">
          Every call appears here as soon as it is over. Older ones stand in the <a href={href(['audit'])}>audit log</a>.
        </Empty>
      )}
    </section>
  )
}

const columns: readonly Column<FinishedCall>[] = [
  { title: 'Time', width: '6rem', wideOnly: true, cell: ({ at }) => <Time at={at} /> },
  {
    title: 'Outcome',
    width: '9.5rem',
    narrow: '5rem',
    cell: ({ outcome, reason }) => <OutcomeBadge outcome={outcome} reason={reason} />,
  },
  { title: 'Tool', width: '3fr', cell: ({ tool }) => <Text of={tool} mono line /> },
  { title: 'Caller', width: '2fr', cell: ({ caller }) => <Text of={caller} line /> },
  { title: 'Server', width: '2fr', wideOnly: true, cell: ({ server }) => <Text of={server} line class="muted" /> },
  { title: 'Took', width: '4.5rem', narrow: '3.75rem', cell: ({ ms }) => <span class="numbers">{span(ms)}</span> },
]

/** Where there were more than a page can follow. */
function Untold() {
  const counts = Object.entries(untold.value)
  if (counts.length === 0) return null
  const all = counts.reduce((sum, [, count]) => sum + count, 0)
  return (
    <p class="untold">
      There were too many calls at once to show each: <strong class="numbers">{all.toLocaleString()}</strong> more ended (
      {counts.map(([outcome, count]) => `${count.toLocaleString()} ${outcome}`).join(', ')}). All of them stand in the{' '}
      <a href={href(['audit'])}>audit log</a>.
    </p>
  )
}
