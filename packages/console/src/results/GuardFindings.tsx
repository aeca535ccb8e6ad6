import { Icon } from '../parts/Icon.js'
import { Text } from '../parts/text/Text.js'
import type { Json } from '../schemas/json.js'
import { type GuardFinding, guardFindings } from './guard-findings.js'

/** What the guard has taken out of a result, and what it noticed and left in. */
export function GuardFindings({ of }: { of: Json }) {
  const findings = guardFindings(of)
  if (findings.length === 0) return null
  return (
    <section class="guard-marks" aria-label="What the guard found">
      <Icon name="warning" />
      <div>
        <p>
          <strong>The guard found something in this result.</strong> It finds what is known; there may be more.
        </p>
        <ul>
          {findings.map((finding, at) => (
            <Mark key={at} of={finding} />
          ))}
        </ul>
      </div>
    </section>
  )
}

const Mark = ({ of: { words, taken, count, kinds } }: { of: GuardFinding }) => (
  <li>
    {taken ? 'Removed' : 'Kept'}: <Text of={words} /> ({count.toLocaleString()})
    {kinds.length > 0 && (
      <>
        , <Text of={kinds.join(', ')} />
      </>
    )}
  </li>
)
