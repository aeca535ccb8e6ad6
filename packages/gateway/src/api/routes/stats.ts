import { statsDimensions } from '../../monitoring/stats/stats.js'
import { queryChoice, queryNumber, type Route, route } from '../route.js'
import { shape } from '../shape.js'

const times = shape.list({ type: ['number', 'null'] })
const counts = {
  calls: shape.list(shape.integer),
  errors: shape.list(shape.integer),
  refused: shape.list(shape.integer),
  limited: shape.describe(shape.list(shape.integer), 'Refused calls that exceeded a limit'),
  p50: { ...times, description: 'Milliseconds; null where no call was made' },
  p95: times,
}

export const statsRoutes: readonly Route[] = [
  route(
    'GET /stats',
    'Calls over time, from the audit log: the last hour in steps of 10 seconds, older ones in minutes. Names beyond 50 are counted as "others"',
    {
      query: { minutes: 'How far back; 60 by default, 1,440 at most', by: statsDimensions.join(', ') },
      reply: shape.object({
        stepMs: shape.number,
        from: shape.time,
        since: shape.describe(shape.time, 'Start of the counts, in milliseconds since 1970'),
        series: shape.list(shape.object({ key: shape.text, ...counts })),
        total: shape.object(counts),
        limits: shape.list(shape.object({ tool: shape.text, caller: shape.text, count: shape.integer, lastAt: shape.time })),
      }),
      handle: ({ control, query }) => ({
        json: control.stats.view(queryNumber(query, 'minutes') ?? 60, queryChoice(query, 'by', statsDimensions) ?? 'tool'),
      }),
    },
  ),
]
