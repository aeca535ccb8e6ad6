import type { Advice } from '../api/types.js'
import { Badge, type Tone } from '../parts/Badge.js'
import { Text } from '../parts/Text.js'

const kinds: { readonly [kind in Advice['kind']]: readonly [words: string, tone: Tone] } = {
  instructions: ['speaks to the model', 'danger'],
  'cross-reference': ['speaks about other tools', 'warning'],
  'look-alike': ['looks like another name', 'danger'],
  hidden: ['hidden text', 'danger'],
  oversized: ['very long', 'warning'],
  'secret-seeking': ['asks for secrets', 'danger'],
}

const mostShown = 20

/** What a scan of a definition found. It is advice: it proves nothing, and it does not find everything. */
export function ScanFindings({ of }: { of: readonly Advice[] }) {
  if (of.length === 0)
    return (
      <p class="little muted">A scan found nothing that is known to mislead. It does not find everything: read for yourself.</p>
    )
  return (
    <div class="scan-findings">
      <p>
        <strong>A scan found this.</strong> It is advice: it may be harmless, and there may be more.
      </p>
      <ul>
        {of.slice(0, mostShown).map((advice, at) => (
          <Finding key={at} of={advice} />
        ))}
      </ul>
      {of.length > mostShown && <p class="little">And {of.length - mostShown} more.</p>}
    </div>
  )
}

function Finding({ of: { kind, path, excerpt, why } }: { of: Advice }) {
  const [words, tone] = kinds[kind]
  return (
    <li>
      <p>
        <Badge tone={tone}>{words}</Badge> <Text of={path || 'the definition'} mono class="little" />
      </p>
      {excerpt && (
        <p class="excerpt">
          <Text of={excerpt} />
        </p>
      )}
      <p class="little muted">
        <Text of={why} />
      </p>
    </li>
  )
}
