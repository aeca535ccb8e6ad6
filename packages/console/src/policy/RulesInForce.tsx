import type { Policy, PolicyRule } from '../api/types.js'
import { href } from '../page/route.js'
import { Badge } from '../parts/Badge.js'
import { Empty } from '../parts/Empty.js'
import { Text } from '../parts/Text.js'
import { Ago } from '../parts/Time.js'
import { decisionTones } from './explanation.js'

/** The rules in the order in which they are tried, and how many calls each has decided. */
export function RulesInForce({ policy: { rules, fallback } }: { readonly policy: Policy }) {
  if (rules.length === 0)
    return (
      <Empty icon="policy" title="The file holds no rules">
        <p>
          The default decides about every call. <a href={href(['policy'], { show: 'edit' })}>Write a rule</a>.
        </p>
      </Empty>
    )
  return (
    <div class="card wide-table">
      <table class="rules">
        <thead>
          <tr>
            <th scope="col" class="wide-only">
              #
            </th>
            <th scope="col">Rule</th>
            <th scope="col">Decision</th>
            <th scope="col" class="number">
              Calls decided
            </th>
            <th scope="col" class="wide-only">
              Last
            </th>
            <th scope="col" class="number">
              Line
            </th>
          </tr>
        </thead>
        <tbody>
          {rules.map((rule, index) => (
            <OneRule key={index} rule={rule} number={index + 1} />
          ))}
          {fallback && (
            <tr>
              <td class="wide-only" />
              <th scope="row" class="otherwise">
                {fallbackWords(fallback.decision)}
              </th>
              <td>
                <Badge tone={fallback.decision === 'depends' ? 'neutral' : decisionTones[fallback.decision]}>
                  {fallback.decision}
                </Badge>
              </td>
              <td class="number">{fallback.hits.toLocaleString()}</td>
              <td class="wide-only">
                {fallback.lastAt === undefined ? <span class="muted">never</span> : <Ago at={fallback.lastAt} />}
              </td>
              <td />
            </tr>
          )}
        </tbody>
      </table>
    </div>
  )
}

const defaults = {
  allow: 'Calls that no rule fits are allowed.',
  ask: 'Calls that no rule fits are asked about.',
  deny: 'Calls that no rule fits are refused.',
  depends: 'Calls that no rule fits are allowed where the tool only reads, and asked about otherwise.',
} as const

/** What becomes of calls that no rule is about. */
export const fallbackWords = (decision: keyof typeof defaults = 'depends'): string => defaults[decision]

const OneRule = ({
  rule: { name, decision, hits, lastAt, line },
  number,
}: {
  readonly rule: PolicyRule
  readonly number: number
}) => (
  <tr class={hits === 0 ? 'never' : undefined}>
    <td class="muted wide-only">{number}</td>
    <th scope="row">
      <Text of={name} />
    </th>
    <td>
      <Badge tone={decisionTones[decision]}>{decision}</Badge>
    </td>
    <td class="number">{hits.toLocaleString()}</td>
    <td class="wide-only">{lastAt === undefined ? <span class="muted">never</span> : <Ago at={lastAt} />}</td>
    <td class="number">
      {line !== undefined && (
        <a href={href(['policy', line], { show: 'edit' })} aria-label={`Line ${line}: edit`}>
          {line}
        </a>
      )}
    </td>
  </tr>
)
