import { useMemo, useState } from 'preact/hooks'
import { ApiError, getJson, pathSegment } from '../api/api.js'
import type { AuditRecord, CallOutcome } from '../api/types.js'
import type { FinishedCall } from '../calls/finished-call.js'
import { finishedCalls, unlistedCounts } from '../calls/follow-calls.js'
import { goTo, href } from '../page/route.js'
import { Button } from '../parts/Button.js'
import { Choice } from '../parts/Choice.js'
import { Empty } from '../parts/LoadState.js'
import { OutcomeBadge } from '../parts/OutcomeBadge.js'
import { toast } from '../parts/Toast.js'
import { SearchInput } from '../parts/table/ListHeader.js'
import { type Column, VirtualTable } from '../parts/table/VirtualTable.js'
import { Text } from '../parts/text/Text.js'
import { formatDuration } from '../parts/time/format-time.js'
import { Time } from '../parts/time/Time.js'
import { toastError } from '../parts/WorkButton.js'
import { LastMinuteBars } from './LastMinuteBars.js'

/** The finished calls, latest first: some from before the page was open, and all since. */
export function FinishedCalls() {
  const [filter, setFilter] = useState<StreamFilter>({ text: '', outcome: 'all' })
  const [held, setHeld] = useState<readonly FinishedCall[]>()
  const all = held ?? finishedCalls.value
  const rows = useMemo(() => all.filter((call) => passesStreamFilter(filter, call)), [all, filter])
  const news = held ? (finishedCalls.value[0]?.key ?? 0) - (held[0]?.key ?? 0) : 0
  return (
    <section class="card clip live-part" aria-label="Finished calls">
      <header class="card-head cluster">
        <h2>Finished</h2>
        <LastMinuteBars />
        <div class="stream-tools cluster push">
          <SearchInput label="Tool, caller or server" text={filter.text} onText={(text) => setFilter({ ...filter, text })} />
          <Choice
            aria-label="Outcome"
            value={filter.outcome}
            choices={outcomes}
            onChange={(outcome) => setFilter({ ...filter, outcome })}
          />
          <Button icon={held ? 'play' : 'pause'} onClick={() => setHeld(held ? undefined : finishedCalls.value)}>
            {held ? `Resume${news > 0 ? ` (${news.toLocaleString()} new)` : ''}` : 'Pause'}
          </Button>
        </div>
      </header>
      <UnlistedCalls />
      {rows.length > 0 ? (
        <VirtualTable
          label="Finished calls"
          class="finished"
          rows={rows}
          columns={columns}
          keyOf={({ key }) => key}
          height={34}
          onOpen={({ record }) => void openRecord(record)}
        />
      ) : all.length > 0 ? (
        <Empty icon="search" title="No calls match">
          None of {all.length.toLocaleString()} calls has this outcome and this text in its tool, caller or server.
        </Empty>
      ) : (
        <Empty icon="clock" title="No finished calls yet">
          Calls appear here when they end. Older ones are in the <a href={href(['audit'])}>audit log</a>.
        </Empty>
      )}
    </section>
  )
}

const outcomes = [
  ['all', 'All outcomes'],
  ['ok', 'Done'],
  ['error', 'Errors'],
  ['refused', 'Refused'],
  ['other', 'Other'],
] as const

const columns: readonly Column<FinishedCall>[] = [
  { title: 'Time', width: '6rem', wideOnly: true, cell: ({ at }) => <Time at={at} /> },
  {
    title: 'Outcome',
    width: '11.5rem',
    narrow: '5.5rem',
    cell: ({ outcome, reason }) => <OutcomeBadge outcome={outcome} reason={reason} />,
  },
  { title: 'Tool', width: '3fr', cell: ({ tool }) => <Text of={tool} mono line /> },
  { title: 'Caller', width: '2fr', cell: ({ caller }) => <Text of={caller} line /> },
  { title: 'Server', width: '2fr', wideOnly: true, cell: ({ server }) => <Text of={server} line class="muted" /> },
  { title: 'Took', width: '4.5rem', narrow: '3.75rem', cell: ({ ms }) => <span class="numbers">{formatDuration(ms)}</span> },
]

/** The number of calls that the gateway has only counted, because there were too many. */
function UnlistedCalls() {
  const counts = Object.entries(unlistedCounts.value)
  if (counts.length === 0) return null
  const all = counts.reduce((sum, [, count]) => sum + count, 0)
  return (
    <p class="untold little">
      Too many calls at once to show each: <strong class="numbers">{all.toLocaleString()}</strong> more ended (
      {counts.map(([outcome, count]) => `${count.toLocaleString()} ${outcome}`).join(', ')}). All of them are in the{' '}
      <a href={href(['audit'])}>audit log</a>.
    </p>
  )
}

/** Opens the audit record of a call by the call's id. */
async function openRecord(id: string | undefined): Promise<void> {
  if (id === undefined) return toast('This call was not recorded.', 'info')
  try {
    goTo(['audit', (await getJson<AuditRecord>(`/audit/${pathSegment(id)}`)).entry.sequence])
  } catch (thrown) {
    if (!(thrown instanceof ApiError && thrown.status === 404)) return toastError(thrown)
    toast('This call is not in the log yet. Try again in a moment.', 'info')
  }
}

type StreamFilter = { readonly text: string; readonly outcome: 'all' | 'ok' | 'error' | 'refused' | 'other' }

export const passesStreamFilter = ({ text, outcome }: StreamFilter, call: FinishedCall): boolean =>
  fits(outcome, call.outcome) &&
  [call.tool, call.server, call.caller].some((name) => name.toLowerCase().includes(text.toLowerCase()))

function fits(wanted: StreamFilter['outcome'], outcome: CallOutcome): boolean {
  if (wanted === 'all' || wanted === outcome) return true
  if (wanted === 'error') return outcome === 'failed'
  return wanted === 'other' && (outcome === 'cancelled' || outcome === 'asked')
}
