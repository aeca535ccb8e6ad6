import { strangersShare, tooOften, usualLimit } from '../policy/rate-limit.js'
import { isCrowd, localUser } from '../tools/caller.js'
import type { Limit } from '../tools/tool.js'
import type { Exchange } from './exchange.js'
import type { Prepared } from './prepared.js'

type List = (x: Exchange) => Prepared | Promise<Prepared>

/** Gives a list to those who do not ask for it too often. */
export function rated(list: List): List {
  return (x) => {
    const limit = limitFor(x)
    if (!limit) return list(x)
    const waitMs = x.app.limitStore.take(`list ${x.request.method} ${x.caller.id}`, limit, performance.now())
    return typeof waitMs === 'number' ? listed(waitMs, limit, list, x) : waitMs.then((ms) => listed(ms, limit, list, x))
  }
}

/** The usual limit is for callers over HTTP. */
function limitFor({ app, caller }: Exchange): Limit | false {
  const { lists } = app.settings.limits
  if (!lists || (lists === usualLimit && caller === localUser)) return false
  return isCrowd(caller) ? strangersShare(lists) : lists
}

function listed(waitMs: number, limit: Limit, list: List, x: Exchange): Prepared | Promise<Prepared> {
  if (waitMs !== 0) throw tooOften(`${x.request.method} has`, limit, waitMs)
  return list(x)
}
