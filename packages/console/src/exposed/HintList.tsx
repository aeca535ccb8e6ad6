import type { Tool } from '../api/types.js'
import { Badge } from '../parts/Badge.js'
import { type Claim, claimTexts } from '../parts/effect-claims.js'

/** What is said about the effects of a tool. It is its server's word, which counts only where the server is trusted. */
export function HintList({ tool }: { tool: Tool }) {
  const { trusted } = tool
  return (
    <div class="hints">
      <ul>
        {claimTexts(tool.claims).map((claim) => (
          <li key={claim.words}>
            {/* Nothing looks reassuring that nobody has checked. */}
            <Badge tone={trusted || claim.tone !== 'ok' ? claim.tone : 'neutral'}>{claim.words}</Badge>{' '}
            <span class="muted little">{sourceOf(claim, trusted)}</span>
          </li>
        ))}
      </ul>
      <p class="muted little">
        {trusted
          ? 'The server is trusted, so rules rely on this.'
          : 'This is unverified. The server is not trusted, so no rule relies on it.'}
      </p>
    </div>
  )
}

function sourceOf({ said }: Claim, trusted: boolean): string {
  if (!said) return 'not given; assumed'
  return trusted ? 'from the server' : 'from the server, unverified'
}
