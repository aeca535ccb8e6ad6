import { defaultRateLimit, rateLimited, strangersLimit } from '../../policy/rate-limit/index.js'
import { isCrowd, localUser } from '../../tools/caller.js'
import type { Limit } from '../../tools/tool.js'
import type { RequestContext } from '../request-context.js'
import type { EncodedResult } from './encoded-result.js'

type List = (x: RequestContext) => EncodedResult | Promise<EncodedResult>

/** Gives a list to those who do not ask for it too often. */
export function rateLimitedList(list: List): List {
  return (x) => {
    const limit = listLimitFor(x, x.app.settings.limits.lists)
    if (!limit) return list(x)
    const waitMs = takeListCall('list', limit, x)
    return typeof waitMs === 'number'
      ? listOrRefuse(waitMs, limit, list, x)
      : waitMs.then((ms) => listOrRefuse(ms, limit, list, x))
  }
}

/** Milliseconds to wait, for each caller and method. */
export const takeListCall = (
  what: 'list' | 'read',
  limit: Limit,
  { app, request, caller }: RequestContext,
): number | Promise<number> => app.limitStore.take(`${what} ${request.method} ${caller.id}`, limit, performance.now())

/** The usual limit is for callers over HTTP. */
export function listLimitFor({ caller }: RequestContext, limit: Limit | false): Limit | false {
  if (!limit || (limit === defaultRateLimit && caller === localUser)) return false
  return isCrowd(caller) ? strangersLimit(limit) : limit
}

function listOrRefuse(waitMs: number, limit: Limit, list: List, x: RequestContext): EncodedResult | Promise<EncodedResult> {
  if (waitMs !== 0) throw rateLimited(`${x.request.method} has`, limit, waitMs)
  return list(x)
}
