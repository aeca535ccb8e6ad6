import { useState } from 'preact/hooks'
import { deleteJson } from '../api/api.js'
import { gatewayNow } from '../api/gateway-clock.js'
import type { Call } from '../api/types.js'
import { loadRunning, runningCalls, runningOutcome } from '../calls/follow-calls.js'
import { Badge } from '../parts/Badge.js'
import { Button } from '../parts/Button.js'
import { Dialog } from '../parts/Dialog.js'
import { CalledFacts, Fact, Facts } from '../parts/Facts.js'
import { Empty, LoadState } from '../parts/LoadState.js'
import { toast } from '../parts/Toast.js'
import { type Column, VirtualTable } from '../parts/table/VirtualTable.js'
import { Json } from '../parts/text/Json.js'
import { markedText, Text } from '../parts/text/Text.js'
import { currentTime, Elapsed, Time } from '../parts/time/Time.js'
import { useWork } from '../parts/WorkButton.js'
import { CallProgress } from './CallProgress.js'

/** Shorter calls are left out, because they would only make the rows jump. */
const shownAfterMs = 300

export function RunningCallTable() {
  const [opened, setOpened] = useState<Call>()
  const before = Math.max(currentTime.value, gatewayNow()) - shownAfterMs
  const calls = runningCalls.value.filter(({ startedAt }) => startedAt <= before)
  const loaded = { ...runningOutcome.value, value: calls, reload: () => void loadRunning().catch(() => undefined) }
  const still = opened && runningCalls.value.find(({ id }) => id === opened.id)
  return (
    <section class="card clip live-part" aria-label="Running calls">
      <header class="card-head cluster">
        <h2>
          Running <span class="count">{runningCalls.value.length}</span>
        </h2>
      </header>
      <LoadState of={loaded} what="the running calls" />
      {calls.length === 0 ? (
        <Empty icon="live" title="No running calls" text="Longer calls appear here and can be cancelled." />
      ) : (
        <VirtualTable
          label="Running calls"
          class="under-way"
          rows={calls}
          columns={columns}
          keyOf={({ id }) => id}
          height={52}
          onOpen={setOpened}
        />
      )}
      {opened && <CallDetail call={still ?? opened} isOver={!still} onClose={() => setOpened(undefined)} />}
    </section>
  )
}

const columns: readonly Column<Call>[] = [
  {
    title: 'Tool',
    width: '3fr',
    cell: ({ tool, caller, server }) => (
      <div class="two-lines">
        <Text of={tool} mono line />
        <span class="muted little">
          <Text of={caller} line /> → <Text of={server} line />
        </span>
      </div>
    ),
  },
  {
    title: 'Arguments',
    width: '4fr',
    wideOnly: true,
    cell: ({ arguments: args }) => <Text of={shortJson(args)} mono line class="little muted" />,
  },
  { title: 'Progress', width: '3fr', cell: (call) => <CallProgress call={call} /> },
  { title: 'Elapsed', width: '4.5rem', narrow: '3.25rem', cell: ({ startedAt }) => <Elapsed since={startedAt} /> },
  { title: 'Act', width: '4.75rem', narrow: '4rem', cell: (call) => <Cancel call={call} /> },
]

const mostShown = 400

const shortJson = (value: Call['arguments']): string => JSON.stringify(value).slice(0, mostShown)

function Cancel({ call: { id, tool } }: { call: Call }) {
  const { isBusy, run } = useWork()
  const cancel = () => run(() => deleteJson(`/calls/${id}`).then(() => toast(`${tool} is cancelled. Its caller gets an error.`)))
  return (
    <Button small busy={isBusy} aria-label={`Cancel ${markedText(tool)}, call ${id}`} onClick={cancel}>
      {isBusy ? 'Cancelling' : 'Cancel'}
    </Button>
  )
}

type DetailProps = { readonly call: Call; readonly isOver: boolean; readonly onClose: () => void }

/** A call with its arguments, running or ended since the dialog was opened. */
const CallDetail = ({ call, isOver, onClose }: DetailProps) => (
  <Dialog title={`Call ${call.id}`} onClose={onClose} wide>
    <Facts>
      <CalledFacts of={call} />
      <Fact name="Toolset" text={call.set} />
      <Fact name="Begun">
        <Time at={call.startedAt} />
        {!isOver && (
          <>
            , <Elapsed since={call.startedAt} /> ago
          </>
        )}
      </Fact>
      <Fact name="Progress">{isOver ? <Badge>ended</Badge> : <CallProgress call={call} />}</Fact>
    </Facts>
    <h3>Arguments</h3>
    {call.cut && <p class="muted little">The arguments are shortened here. The audit log has more of them.</p>}
    <Json of={call.arguments} open={4} />
  </Dialog>
)
