import { useState } from 'preact/hooks'
import type { Outlook, PolicyChange, PolicyPreview } from '../../api/types.js'
import { Badge, decisionTones } from '../../parts/Badge.js'
import { Button } from '../../parts/Button.js'
import { Table, type TableColumn } from '../../parts/table/Table.js'
import { Text } from '../../parts/text/Text.js'

/** A decision that depends on the call may be any. */
const mostAllowed = { deny: 0, ask: 1, depends: 2, allow: 3 } as const satisfies Record<Outlook, number>

/** Does the change allow more than before? Such changes need attention. */
export const isLooser = ({ before, after }: PolicyChange): boolean => mostAllowed[after] > mostAllowed[before]

/** Puts changes that may allow more first. */
export const sortedChanges = (changes: readonly PolicyChange[]): readonly PolicyChange[] =>
  [...changes].sort((one, other) => Number(isLooser(other)) - Number(isLooser(one)))

const atOnce = 100

/** The calls that would be decided differently: every tool, by every known caller. */
export function ChangePreview({ preview: { changes, cases, more } }: { readonly preview: PolicyPreview }) {
  const [most, setMost] = useState(atOnce)
  const sorted = sortedChanges(changes)
  const looser = changes.filter(isLooser).length
  return (
    <section class="stack" aria-labelledby="changed-decisions">
      <h2 id="changed-decisions">Changed decisions</h2>
      {cases.length > 0 && (
        <p class="muted">
          {cases.filter(({ ok }) => ok).length} of {cases.length} cases hold.
        </p>
      )}
      {changes.length === 0 ? (
        <p>Nothing, for the current tools and known callers.</p>
      ) : (
        <>
          {looser > 0 && (
            <p class="notice tinted warning">
              {looser === 1 ? 'One of these may allow' : `${looser} of these may allow`} more than before.
            </p>
          )}
          <div class="card wide-table">
            <Table columns={columns} rows={sorted.slice(0, most)} />
          </div>
          {more && <p class="muted">The list is incomplete: there are more changes.</p>}
          {sorted.length > most && <Button onClick={() => setMost(most * 5)}>Show more: {sorted.length - most} are left</Button>}
        </>
      )}
    </section>
  )
}

const columns: readonly TableColumn<PolicyChange>[] = [
  { head: 'Tool', isName: true, cell: ({ tool }) => <Text of={tool} mono /> },
  { head: 'Caller', cell: ({ caller }) => <Text of={caller} /> },
  { head: 'Before', cell: ({ before }) => <DecisionBadge of={before} /> },
  {
    head: 'After',
    cell: (change) => (
      <>
        <DecisionBadge of={change.after} />
        {isLooser(change) && <span class="looser little"> may allow more</span>}
      </>
    ),
  },
]

const DecisionBadge = ({ of }: { readonly of: Outlook }) => (
  <Badge tone={decisionTones[of]}>{of === 'depends' ? 'depends on the arguments' : of}</Badge>
)
