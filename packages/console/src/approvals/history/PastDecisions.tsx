import { useEffect, useMemo, useState } from 'preact/hooks'
import { useEvents, useGet } from '../../api/use-loaded.js'
import { Badge } from '../../parts/Badge.js'
import { Button } from '../../parts/Button.js'
import { Choice } from '../../parts/Choice.js'
import { Empty, LoadState } from '../../parts/LoadState.js'
import { ListHeader, matchesWords } from '../../parts/table/ListHeader.js'
import { JsonText } from '../../parts/text/Json.js'
import { Text } from '../../parts/text/Text.js'
import { Ago } from '../../parts/time/Time.js'
import { type Ending, endingOf, endingTexts } from '../endings.js'
import { durationName } from '../grants/constraint.js'
import { ratePaced } from '../rate-paced.js'
import type { PastCall, PastPage } from './past-calls.js'

/** Time between reloads when many events arrive. */
const pauseMs = 2_000
const firstMany = 50
const most = 1_000

const decisions = [
  ['', 'Anything'],
  ...(['allowed', 'denied', 'expired', 'gone'] as const).map((what) => [what, endingTexts[what].name] as const),
] as const satisfies readonly (readonly [Ending['what'] | '', string])[]

/** Past decisions, latest first. */
export function PastDecisions() {
  const [many, setMany] = useState(firstMany)
  const [text, setText] = useState('')
  const [what, setWhat] = useState<(typeof decisions)[number][0]>('')
  const loaded = useGet<PastPage>('/approvals', { limit: 1, past: many })
  const { value, reload } = loaded
  const due = useMemo(() => ratePaced(async () => reload(), pauseMs), [reload])
  useEffect(() => due.stop, [due])
  useEvents(['approval'], due.soon)
  const state = <LoadState of={loaded} what="past decisions" />
  if (!value) return state
  const past = value.past ?? []
  const shown = past.filter((one) => (what === '' || endingOf(one).what === what) && matchesWords(text, ...textsOf(one)))
  if (past.length === 0)
    return (
      <>
        {state}
        <Empty icon="clock" title="No decisions yet">
          <p>Decided calls are listed here: allowed, denied or expired.</p>
        </Empty>
      </>
    )
  return (
    <>
      {state}
      <section class="card clip" aria-label="Decided">
        <ListHeader label="Tool, caller, server or reason" text={text} onText={setText}>
          <Choice aria-label="Decision" value={what} choices={decisions} onChange={setWhat} />
        </ListHeader>
        <p class="past-heads little muted" aria-hidden="true">
          {['', 'Decision', 'Tool', 'Caller', 'Reason', 'By'].map((head) => (
            <span key={head}>{head}</span>
          ))}
        </p>
        <ul class="past-decisions lined">
          {shown.map((one) => (
            <Decided key={one.id} past={one} />
          ))}
        </ul>
        {shown.length === 0 && <Empty icon="search" title="No recent decision matches" />}
      </section>
      {past.length === many && many < most && <Button onClick={() => setMany(Math.min(most, many * 4))}>Show more</Button>}
    </>
  )
}

const textsOf = ({ tool, caller, server, why = '', by = '' }: PastCall): readonly string[] => [
  tool.name,
  caller,
  server ?? '',
  why,
  by,
]

function Decided({ past }: { readonly past: PastCall }) {
  const { tool, server, caller, by, why, always, settledAt } = past
  const [isOpen, setOpen] = useState(false)
  const ending = endingOf(past)
  return (
    <li>
      <details onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
        <summary>
          <Badge tone={endingTexts[ending.what].tone}>{endingTexts[ending.what].name}</Badge>
          <Text of={tool.name} mono />
          <span class="muted">
            <Text of={caller} />
            <Text before=" on " of={server} />
          </span>
          <span>
            <Text of={why} class="past-reason" /> {always && <Badge tone="info">for {durationName(always.forMs)}</Badge>}
          </span>
          <span class="past-end little muted">
            <Text before="by " of={by} /> {settledAt !== undefined && <Ago at={settledAt} />}
          </span>
        </summary>
        {isOpen && past.arguments && <JsonText of={past.arguments} />}
        {isOpen && !past.arguments && <p class="muted">The arguments were removed after the decision.</p>}
      </details>
    </li>
  )
}
