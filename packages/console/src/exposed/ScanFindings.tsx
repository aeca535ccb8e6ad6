import type { Advice, ScanFinding } from '../api/types.js'
import { Badge } from '../parts/Badge.js'
import { Paragraph, Text } from '../parts/text/Text.js'

const kinds: { readonly [kind in Advice['kind']]: string } = {
  instructions: 'speaks to the model',
  'cross-reference': 'speaks about other tools',
  'look-alike': 'looks like another name',
  hidden: 'hidden text',
  oversized: 'very long',
  'secret-seeking': 'asks for secrets',
}

const mostShown = 20

/** The findings of a scan of one definition. They are advice only: a scan proves nothing and misses things. */
export function ScanFindings({ of }: { of: readonly Advice[] }) {
  if (of.length === 0)
    return <p class="little muted">A scan found nothing suspicious. It cannot find everything, so read the text yourself.</p>
  return (
    <div class="scan-findings stack near">
      <p>
        <strong>{of.some(({ holds }) => holds) ? 'Withheld by a scan.' : 'Noted by a scan.'}</strong> A finding is advice: the
        definition may be harmless, and a scan does not find everything.
      </p>
      <ul class="stack near">
        {sorted(of)
          .slice(0, mostShown)
          .map((advice, at) => (
            <Found key={at} of={advice} />
          ))}
      </ul>
      {of.length > mostShown && <p class="little">And {of.length - mostShown} more.</p>}
    </div>
  )
}

/** Puts findings that withhold a definition first. */
const sorted = <T extends Advice>(of: readonly T[]): readonly T[] =>
  of.toSorted((one, other) => Number(other.holds) - Number(one.holds))

/** The scan findings of one server: each finding once, with its tools. */
export function ServerFindings({ of }: { of: readonly ScanFinding[] }) {
  if (of.length === 0) return null
  return (
    <ul class="server-findings stack near">
      {sorted(of).map((finding, at) => (
        <li key={at} class="little">
          <Kind of={finding} /> <Text of={finding.why} />{' '}
          <Text of={`${finding.tools.slice(0, mostNamed).join(', ')}${moreOf(finding.tools)}`} mono class="muted" />
        </li>
      ))}
    </ul>
  )
}

const mostNamed = 8
const moreOf = ({ length }: readonly string[]) => (length > mostNamed ? ` and ${length - mostNamed} more` : '')

const Kind = ({ of: { kind, holds } }: { of: Advice }) => (
  <Badge
    tone={holds ? 'danger' : 'neutral'}
    title={holds ? 'Withheld because of this' : 'Noted only; not a reason to withhold it'}
  >
    {kinds[kind]}
  </Badge>
)

function Found({ of }: { of: Advice }) {
  const { path, excerpt, why } = of
  return (
    <li>
      <p>
        <Kind of={of} /> <Text of={path || 'the definition'} mono class="little" />
      </p>
      <Paragraph of={excerpt} class="excerpt" />
      <Paragraph of={why} class="little muted" />
    </li>
  )
}
