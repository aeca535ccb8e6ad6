import type { PolicyCase } from '../api/types.js'
import { href } from '../page/route.js'
import { Badge } from '../parts/Badge.js'
import { Empty } from '../parts/LoadState.js'
import { Text } from '../parts/text/Text.js'
import { exampleCases } from './examples.js'

export function PolicyCases({ cases }: { readonly cases: readonly PolicyCase[] }) {
  if (cases.length === 0)
    return (
      <Empty icon="check" title="The file has no cases">
        <p>A case is a call with its expected decision. Rules that fail their own cases never take effect.</p>
        <pre class="example sunken mono">{exampleCases}</pre>
      </Empty>
    )
  return (
    <ul class="cases card lined">
      {cases
        .toSorted((one, other) => Number(one.ok) - Number(other.ok))
        .map((one, index) => (
          <OneCase key={index} one={one} />
        ))}
    </ul>
  )
}

const OneCase = ({ one: { name, ok, expected, actual, line } }: { readonly one: PolicyCase }) => (
  <li class="cluster">
    <Badge tone={ok ? 'ok' : 'danger'}>{ok ? 'passed' : 'failed'}</Badge>
    <Text of={name} />
    <span class="muted">
      expected <Text of={expected} />
      {!ok && <Text before=", got " of={actual} />}
    </span>
    {line !== undefined && (
      <a class="little push" href={href(['policy', line], { show: 'edit' })}>
        line {line}
      </a>
    )}
  </li>
)
