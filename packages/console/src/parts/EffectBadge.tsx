import type { Hints } from '../api/types.js'
import { Badge } from './Badge.js'
import { effectOf } from './effect-claims.js'

type Props = {
  /** What the server itself says. */
  readonly claims: Hints
  readonly trusted: boolean
  /** In whole words, where there is room. */
  readonly long?: boolean
}

/** What a tool does to the world, as its server says; marked as unverified where nobody has said that the server is to be trusted. */
export function EffectBadge({ claims, trusted, long }: Props) {
  const { name, words, tone, said } = effectOf(claims)
  const isClaim = said && !trusted
  const title = isClaim ? unverified : unsaid
  return (
    <Badge tone={tone} {...((isClaim || !said) && { title })}>
      {long ? words : name}
      {isClaim && <span class="unverified"> · unverified</span>}
    </Badge>
  )
}

const unverified = 'Unverified hint of a server that is not trusted'
const unsaid = 'Its server gives no hint, so rules assume the worst'
