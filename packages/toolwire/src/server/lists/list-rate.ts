import { defaultRateLimit, rateLimited, strangersLimit } from '../../policy/rate-limit/index.js'
import { isCrowd, localUser } from '../../tools/caller.js'
import type { RequestContext } from '../request-context.js'
import type { EncodedResult } from './list-pages.js'

type List = (x: RequestContext) => EncodedResult | Promise<EncodedResult>

/** Gives a list to those who do not ask for it too often. */
export function rateLimitedList(list: List): List {
  return (x) => admitReading(x, 'list')?.then(() => list(x)) ?? list(x)
}

/** Refuses callers who ask too often, each for each method; it is a promise where the store needs time. */
export function admitReading({ app, caller, request }: RequestContext, what: 'list' | 'read'): Promise<void> | undefined {
  const { lists, reads } = app.settings.limits
  const usual = what === 'list' ? lists : reads
  // The usual limit is for callers over HTTP.
  if (!usual || (usual === defaultRateLimit && caller === localUser)) return undefined
  const limit = isCrowd(caller) ? strangersLimit(usual) : usual
  const refuse = (waitMs: number): undefined => {
    if (waitMs !== 0) throw rateLimited(`${request.method} has`, limit, waitMs)
  }
  const waitMs = app.limitStore.take(`${what} ${request.method} ${caller.id}`, limit, performance.now())
  return typeof waitMs === 'number' ? refuse(waitMs) : waitMs.then(refuse)
}
