import { type StatsDimension, statsDimensions } from '../../monitoring/stats/stats.js'
import { HttpRefusal, queryNumber, type Route } from '../route.js'
import { integerSchema, listSchema, nonNegativeSchema, objectSchema, textSchema, timestampSchema } from '../schemas/schemas.js'

const times = listSchema({ type: ['number', 'null'] })
const counts = {
  calls: listSchema(integerSchema),
  errors: listSchema(integerSchema),
  refused: listSchema(integerSchema),
  limited: { ...listSchema(integerSchema), description: 'Refused calls that exceeded a limit' },
  p50: { ...times, description: 'Milliseconds; null where no call was made' },
  p95: times,
}

/** Calls over time. */
export const statsRoutes: readonly Route[] = [
  {
    method: 'GET',
    path: '/stats',
    summary:
      'Calls over time, from the audit log: the last hour in steps of 10 seconds, older ones in minutes. Names beyond 50 are counted as "others"',
    query: { minutes: 'How far back; 60 by default, 1,440 at most', by: statsDimensions.join(', ') },
    reply: objectSchema({
      stepMs: nonNegativeSchema,
      from: timestampSchema,
      since: {
        ...timestampSchema,
        description: 'Start of the counts, in milliseconds since 1970',
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
  if (!by) throw new HttpRefusal(400, `"by" must be one of ${statsDimensions.join(', ')}`)
  return by
}
