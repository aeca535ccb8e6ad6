import { strangersShare, tooOften } from '../policy/rate-limit.js'
import type { Exchange } from './exchange.js'
import type { Prepared } from './prepared.js'

type List = (x: Exchange) => Prepared | Promise<Prepared>

/** Gives a list to those who do not ask for it too often. */
export function rated(list: List): List {
  return (x) => {
    const { lists } = x.app.settings.limits
    if (!lists) return list(x)
    const limit = x.caller.anonymous ? strangersShare(lists) : lists
    const waitMs = x.app.limitStore.take(`list ${x.request.method} ${x.caller.id}`, limit, performance.now())
    return typeof waitMs === 'number' ? listed(waitMs, list, x) : waitMs.then((ms) => listed(ms, list, x))
  }
}

function listed(waitMs: number, list: List, x: Exchange): Prepared | Promise<Prepared> {
  const { lists } = x.app.settings.limits
  if (waitMs !== 0 && lists) throw tooOften(`${x.request.method} has`, lists, waitMs)
  return list(x)
}
