import type { Outlook, Policy, PolicyRule } from '../api/types.js'
import { href } from '../page/route.js'
import { Badge, decisionTones } from '../parts/Badge.js'
import { Empty } from '../parts/LoadState.js'
import { Table, type TableColumn } from '../parts/table/Table.js'
import { Text } from '../parts/text/Text.js'
import { Ago } from '../parts/time/Time.js'

export function ActiveRules({ policy: { rules, fallback } }: { readonly policy: Policy }) {
  if (rules.length === 0)
    return (
      <Empty icon="policy" title="The file has no rules">
        <p>
          The default decides about every call. <a href={href(['policy'], { show: 'edit' })}>Write a rule</a>.
        </p>
      </Empty>
    )
  return (
    <div class="card wide-table">
      <Table
        class="rules"
        columns={columns}
        rows={[...rules, fallback]}
        rowClass={(rule) => ('name' in rule && rule.hits === 0 ? 'never' : undefined)}
      />
    </div>
  )
}

const defaults = {
  allow: 'Calls that match no rule are allowed.',
  ask: 'Calls that match no rule need an approval.',
  deny: 'Calls that match no rule are refused.',
  depends: 'Calls that match no rule are allowed if the tool only reads, and need an approval otherwise.',
} as const satisfies Record<Outlook, string>

/** The decision about calls that no rule matches. */
export const fallbackText = (decision: Outlook): string => defaults[decision]

const columns: readonly TableColumn<PolicyRule | Policy['fallback']>[] = [
  { head: '#', class: 'wide-only', cell: (rule, at) => 'name' in rule && <span class="muted">{at + 1}</span> },
  { head: 'Rule', isName: true, cell: (rule) => ('name' in rule ? <Text of={rule.name} /> : <Otherwise of={rule} />) },
  { head: 'Decision', cell: ({ decision }) => <Badge tone={decisionTones[decision]}>{decision}</Badge> },
  { head: 'Calls decided', class: 'number', cell: ({ hits }) => hits.toLocaleString() },
  {
    head: 'Last',
    class: 'wide-only',
    cell: ({ lastAt }) => (lastAt === undefined ? <span class="muted">never</span> : <Ago at={lastAt} />),
  },
  { head: 'Line', class: 'number', cell: (rule) => 'line' in rule && <LineLink line={rule.line} /> },
]

const Otherwise = ({ of: { decision } }: { readonly of: Policy['fallback'] }) => (
  <span class="otherwise">{fallbackText(decision)}</span>
)

const LineLink = ({ line }: { readonly line: number | undefined }) =>
  line !== undefined && (
    <a href={href(['policy', line], { show: 'edit' })} aria-label={`Line ${line}: edit`}>
      {line}
    </a>
  )
