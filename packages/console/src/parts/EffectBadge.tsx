import type { Hints } from '../api/types.js'
import { Badge } from './Badge.js'
import { effectOf } from './effect-claims.js'

type Props = {
  /** The claims of the server itself. */
  readonly claims: Hints
  readonly trusted: boolean
  /** Shows the long wording, where there is room. */
  readonly long?: boolean
}

/** The effect of a tool as its server claims it, marked as unverified unless the server is trusted. */
export function EffectBadge({ claims, trusted, long }: Props) {
  const { name, words, tone, said } = effectOf(claims)
  const isClaim = said && !trusted
  const title = isClaim ? unverified : withoutHint
  return (
    <Badge tone={tone} {...((isClaim || !said) && { title })}>
      {long ? words : name}
      {isClaim && <span class="unverified"> · unverified</span>}
    </Badge>
  )
}

const unverified = 'Unverified hint of a server that is not trusted'
const withoutHint = 'Its server gives no hint, so rules assume the worst'
