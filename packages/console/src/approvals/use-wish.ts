import { useMemo, useState } from 'preact/hooks'
import type { Always, JsonObject } from '../api/types.js'
import { constraintOf, narrowest, type Wish, wishName } from './constraint.js'
import { usualMs } from './expiry.js'

type Wished = {
  readonly wish: Wish
  readonly setWish: (wish: Wish) => void
  /** What comes of it, where "always" is meant. */
  readonly always: Always | undefined
  /** Tells apart what can be meant by a yes. */
  readonly manner: string
}

/** What "always" is to mean for calls like this one: at first the very same call. */
export function useWish(args: JsonObject, isAlways: boolean): Wished {
  const [wish, setWish] = useState<Wish>(() => ({ choice: narrowest(args), forMs: usualMs }))
  const always = useMemo(
    () => (isAlways ? { forMs: wish.forMs, arguments: constraintOf(args, wish.choice) } : undefined),
    [isAlways, wish, args],
  )
  return { wish, setWish, always, manner: always ? wishName(wish) : 'once' }
}
