import { useMemo, useState } from 'preact/hooks'
import type { JsonObject, StandingApproval } from '../../api/types.js'
import { constraintOf, type GrantRequest, grantRequestKey, narrowest } from './constraint.js'
import { defaultGrantMs } from './grant-duration.js'

type Wished = {
  readonly wish: GrantRequest
  readonly setWish: (wish: GrantRequest) => void
  /** What comes of it, where "always" is meant. */
  readonly always: StandingApproval | undefined
  /** Tells apart what can be meant by a yes. */
  readonly manner: string
}

/** What "always" is to mean for calls like this one: at first the very same call. */
export function useGrantRequest(args: JsonObject, isAlways: boolean): Wished {
  const [wish, setWish] = useState<GrantRequest>(() => ({ choice: narrowest(args), forMs: defaultGrantMs }))
  const always = useMemo(
    () => (isAlways ? { forMs: wish.forMs, arguments: constraintOf(args, wish.choice) } : undefined),
    [isAlways, wish, args],
  )
  return { wish, setWish, always, manner: always ? grantRequestKey(wish) : 'once' }
}
