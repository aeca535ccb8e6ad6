import type { AuditCall } from '../api/types.js'
import { Badge } from '../parts/Badge.js'
import { Button } from '../parts/Button.js'
import { countText } from '../parts/count-text.js'
import { Empty, Loading } from '../parts/LoadState.js'
import { OutcomeBadge } from '../parts/OutcomeBadge.js'
import { Problem } from '../parts/Problem.js'
import { type Column, VirtualTable } from '../parts/table/VirtualTable.js'
import { Text } from '../parts/text/Text.js'
import { formatDuration } from '../parts/time/format-time.js'
import { Time } from '../parts/time/Time.js'
import type { AuditPages } from './use-pages.js'

type Props = {
  readonly pages: AuditPages
  readonly isNarrow: boolean
  readonly current: number | undefined
  readonly onOpen: (call: AuditCall) => void
}

/** The calls found, loaded as the user scrolls. */
export function CallTable({ pages, isNarrow, current, onOpen }: Props) {
  const { calls, state, trouble, more, reload } = pages
  if (calls.length === 0 && state === 'trouble')
    return <Problem title="The log could not be searched" error={trouble} onRetry={reload} />
  if (calls.length === 0 && state === 'loading') return <Loading what="the log" />
  if (calls.length === 0 && state === 'all') return isNarrow ? <NoMatches /> : <NoCalls />
  return (
    <section class="card clip" aria-label="Calls">
      <VirtualTable
        label="Calls in the log"
        class="audit-rows"
        rows={calls}
        columns={current === undefined ? columns : besideRecord}
        keyOf={({ sequence }) => sequence}
        current={current}
        onOpen={onOpen}
        onEnd={() => state === 'more' && more()}
      />
      <p class="audit-end muted little" role="status">
        <LoadProgress count={calls.length} state={state} more={more} />
      </p>
    </section>
  )
}

function LoadProgress({ count, state, more }: { count: number; state: AuditPages['state']; more: () => void }) {
  const found = countText(count, 'call')
  if (state === 'loading') return <>{found}, looking for more …</>
  if (state === 'all') return <>{found}: that is all</>
  if (state === 'more') return <>{found}; scroll down for more</>
  return (
    <>
      {state === 'trouble' ? `${found}; the rest could not be loaded.` : `${found} so far, in a part of the log.`}{' '}
      <Button small onClick={more}>
        Search further
      </Button>
    </>
  )
}

const NoMatches = () => (
  <Empty icon="search" title="No calls match">
    Names of tools, callers and servers must match in full. The first field finds any part of a record.
  </Empty>
)

const NoCalls = () => <Empty icon="audit" title="No calls yet" text="Every call appears here before it reaches the tool." />

const Outcome = ({ call: { outcome, reason } }: { call: Pick<AuditCall, 'outcome'> & { reason?: string | undefined } }) =>
  outcome === undefined ? (
    <Badge title="The call is running, or its outcome is unknown">open</Badge>
  ) : (
    <OutcomeBadge outcome={outcome} reason={reason} />
  )

const columns: readonly Column<AuditCall>[] = [
  { title: 'Time', width: '12.5rem', narrow: '6rem', cell: ({ at }) => <Time at={at} /> },
  { title: 'Outcome', width: '11.5rem', narrow: '5.5rem', cell: (call) => <Outcome call={call} /> },
  { title: 'Tool', width: '3fr', cell: ({ tool }) => <Text of={tool} mono line /> },
  { title: 'Caller', width: '2fr', cell: ({ caller }) => <Text of={caller} line /> },
  { title: 'Server', width: '2fr', wideOnly: true, cell: ({ server = '' }) => <Text of={server} line class="muted" /> },
  {
    title: 'Took',
    width: '5rem',
    wideOnly: true,
    cell: ({ durationMs }) => <span class="numbers">{durationMs === undefined ? '–' : formatDuration(durationMs)}</span>,
  },
]

/** Columns beside an open record, where there is less room. */
const besideRecord: readonly Column<AuditCall>[] = [
  { title: 'Time', width: '7rem', narrow: '6rem', cell: ({ at }) => <Time at={at} /> },
  { title: 'Outcome', width: '6.5rem', narrow: '5rem', cell: ({ outcome }) => <Outcome call={{ outcome }} /> },
  ...columns.slice(2, 4),
]
