import { strangersShare, tooOften, usualLimit } from '../policy/rate-limit.js'
import { isCrowd, localUser } from '../tools/caller.js'
import type { Limit } from '../tools/tool.js'
import type { Exchange } from './exchange.js'
import type { Prepared } from './prepared.js'

type List = (x: Exchange) => Prepared | Promise<Prepared>

/** Gives a list to those who do not ask for it too often. */
export function rated(list: List): List {
  return (x) => {
    const limit = limitFor(x, x.app.settings.limits.lists)
    if (!limit) return list(x)
    const waitMs = take('list', limit, x)
    return typeof waitMs === 'number' ? listed(waitMs, limit, list, x) : waitMs.then((ms) => listed(ms, limit, list, x))
  }
}

/** Milliseconds to wait, for each caller and method. */
export const take = (what: 'list' | 'read', limit: Limit, { app, request, caller }: Exchange): number | Promise<number> =>
  app.limitStore.take(`${what} ${request.method} ${caller.id}`, limit, performance.now())

/** The usual limit is for callers over HTTP. */
export function limitFor({ caller }: Exchange, limit: Limit | false): Limit | false {
  if (!limit || (limit === usualLimit && caller === localUser)) return false
  return isCrowd(caller) ? strangersShare(limit) : limit
}

function listed(waitMs: number, limit: Limit, list: List, x: Exchange): Prepared | Promise<Prepared> {
  if (waitMs !== 0) throw tooOften(`${x.request.method} has`, limit, waitMs)
  return list(x)
}
