import { withDeadline } from '../../bounds/deadline.js'
import { defaultRateLimit, patienceMs, rateLimited, strangersLimit } from '../../policy/rate-limit/index.js'
import { isCrowd, localUser } from '../../tools/caller.js'
import type { RequestContext } from '../request-context.js'
import type { EncodedResult } from './list-pages.js'

type List = (x: RequestContext) => EncodedResult | Promise<EncodedResult>

export function rateLimitedList(list: List): List {
  return (x) => limitReading(x, 'list')?.then(() => list(x)) ?? list(x)
}

/** Refuses callers over their rate limit for the method; returns a promise if the store is asynchronous. */
export function limitReading(
  { app, caller, request }: RequestContext,
  what: 'list' | 'read',
  method = request.method,
): Promise<void> | undefined {
  const { lists, reads } = app.settings.limits
  const usual = what === 'list' ? lists : reads
  // The default limit does not apply to the local user.
  if (!usual || (usual === defaultRateLimit && caller === localUser)) return undefined
  const limit = isCrowd(caller) ? strangersLimit(usual) : usual
  const refuse = (waitMs: number): undefined => {
    if (waitMs !== 0) throw rateLimited(`${request.method} has`, limit, waitMs)
  }
  const waitMs = app.limitStore.take(`${what} ${method} ${caller.id}`, limit, performance.now())
  return typeof waitMs === 'number' ? refuse(waitMs) : withDeadline(patienceMs, waitMs).then(refuse)
}
