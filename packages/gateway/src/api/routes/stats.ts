import { type StatsDimension, statsDimensions } from '../../monitoring/stats/stats.js'
import { HttpRefusal, queryNumber, type Route } from '../route.js'
import { integerSchema, listSchema, nonNegativeSchema, objectSchema, textSchema, timestampSchema } from '../schemas/schemas.js'

const times = listSchema({ type: ['number', 'null'] })
const counts = {
  calls: listSchema(integerSchema),
  errors: listSchema(integerSchema),
  refused: listSchema(integerSchema),
  limited: { ...listSchema(integerSchema), description: 'Those of the refused that came up against a limit' },
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
    query: { minutes: 'How far back; 60 if not said, 1,440 at most', by: statsDimensions.join(', ') },
    reply: objectSchema({
      stepMs: nonNegativeSchema,
      from: timestampSchema,
      since: {
        ...timestampSchema,
        description: 'Since when calls are counted, in milliseconds since 1970: what was before is not in here',
      },
      series: listSchema(objectSchema({ key: textSchema, ...counts })),
      total: objectSchema(counts),
      limits: listSchema(objectSchema({ tool: textSchema, caller: textSchema, count: integerSchema, lastAt: timestampSchema })),
    }),
    handle: ({ control, query }) => ({ json: control.stats.view(queryNumber(query, 'minutes') ?? 60, byIn(query)) }),
  },
]

function byIn(query: URLSearchParams): StatsDimension {
  const given = query.get('by') ?? 'tool'
  const by = statsDimensions.find((one) => one === given)
  if (!by) throw new HttpRefusal(400, `"by" is one of ${statsDimensions.join(', ')}`)
  return by
}
