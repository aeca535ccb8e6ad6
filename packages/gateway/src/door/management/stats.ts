import { type By, bys } from '../stats/stats.js'
import { numberIn, Refused, type Route } from './route.js'
import { amount, listOf, moment, shape, text, whole } from './shapes.js'

const times = listOf({ type: ['number', 'null'] })
const counts = {
  calls: listOf(whole),
  errors: listOf(whole),
  refused: listOf(whole),
  limited: { ...listOf(whole), description: 'Those of the refused that came up against a limit' },
  p50: { ...times, description: 'Milliseconds; null where no call was made' },
  p95: times,
}

/** Calls over time. */
export const statsRoutes: readonly Route[] = [
  {
    method: 'GET',
    path: '/stats',
    summary:
      'Calls over time, those before a restart included as the audit log has them: the last hour in steps of 10 seconds, what goes further back in minutes. Names beyond 50 are counted as "others"',
    query: { minutes: 'How far back; 60 if not said, 1,440 at most', by: bys.join(', ') },
    reply: shape({
      stepMs: amount,
      from: moment,
      since: {
        ...moment,
        description: 'Since when calls are counted, in milliseconds since 1970: what was before is not in here',
      },
      series: listOf(shape({ key: text, ...counts })),
      total: shape(counts),
      limits: listOf(shape({ tool: text, caller: text, count: whole, lastAt: moment })),
    }),
    handle: ({ control, query }) => ({ json: control.stats.view(numberIn(query, 'minutes') ?? 60, byIn(query)) }),
  },
]

function byIn(query: URLSearchParams): By {
  const given = query.get('by') ?? 'tool'
  const by = bys.find((one) => one === given)
  if (!by) throw new Refused(400, `"by" is one of ${bys.join(', ')}`)
  return by
}
