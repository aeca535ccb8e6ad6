import type { Outlook, Policy, PolicyRule } from '../api/types.js'
import { href } from '../page/route.js'
import { Badge, decisionTones } from '../parts/Badge.js'
import { Empty } from '../parts/LoadState.js'
import { Text } from '../parts/text/Text.js'
import { Ago } from '../parts/time/Time.js'

/** The rules in the order in which they are tried, and how many calls each has decided. */
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
      <table class="rules">
        <thead>
          <tr>
            {heads.map(([title, look]) => (
              <th scope="col" key={title} class={look}>
                {title}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rules.map((rule, index) => (
            <OneRule key={index} rule={rule} number={index + 1} />
          ))}
          <tr>
            <td class="wide-only" />
            <th scope="row" class="otherwise">
              {fallbackText(fallback.decision)}
            </th>
            <Decided of={fallback} />
            <td />
          </tr>
        </tbody>
      </table>
    </div>
  )
}

const heads = [
  ['#', 'wide-only'],
  ['Rule', undefined],
  ['Decision', undefined],
  ['Calls decided', 'number'],
  ['Last', 'wide-only'],
  ['Line', 'number'],
] as const

const defaults = {
  allow: 'Calls that match no rule are allowed.',
  ask: 'Calls that match no rule need an approval.',
  deny: 'Calls that match no rule are refused.',
  depends: 'Calls that match no rule are allowed if the tool only reads, and need an approval otherwise.',
} as const satisfies Record<Outlook, string>

/** What becomes of calls that no rule is about. */
export const fallbackText = (decision: Outlook): string => defaults[decision]

/** What it says, and how often it has said so. */
const Decided = ({ of: { decision, hits, lastAt } }: { readonly of: PolicyRule | Policy['fallback'] }) => (
  <>
    <td>
      <Badge tone={decisionTones[decision]}>{decision}</Badge>
    </td>
    <td class="number">{hits.toLocaleString()}</td>
    <td class="wide-only">{lastAt === undefined ? <span class="muted">never</span> : <Ago at={lastAt} />}</td>
  </>
)

const OneRule = ({ rule, number }: { readonly rule: PolicyRule; readonly number: number }) => (
  <tr class={rule.hits === 0 ? 'never' : undefined}>
    <td class="muted wide-only">{number}</td>
    <th scope="row">
      <Text of={rule.name} />
    </th>
    <Decided of={rule} />
    <td class="number">
      {rule.line !== undefined && (
        <a href={href(['policy', rule.line], { show: 'edit' })} aria-label={`Line ${rule.line}: edit`}>
          {rule.line}
        </a>
      )}
    </td>
  </tr>
)
