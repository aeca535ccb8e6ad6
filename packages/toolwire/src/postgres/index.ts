import { type FallbackOptions, fallbackValues, withLocalFallback } from '../policy/rate-limit/fallback.js'
import { checkOptions, optionsOf } from '../tools/checks/known-options.js'
import { someText } from '../tools/checks/option-values.js'
import { type PostgresPool, sharedDatabase } from './database.js'
import { forgetApprovals, sharedApprovals } from './shared-approvals.js'
import { forgetChanges, sharedChanges } from './shared-changes.js'
import { forgetEvents, sharedEvents } from './shared-events.js'
import { forgetGrants, sharedGrants } from './shared-grants.js'
import { forgetLabels, sharedLabels } from './shared-labels.js'
import { forgetLimits, sharedLimits } from './shared-limits.js'
import { sharedPins } from './shared-pins.js'
import { forgetSessions, sharedSessions } from './shared-sessions.js'
import { forgetExcessTasks, forgetTasks, sharedTasks } from './shared-tasks.js'
import { forgetTickets, sharedTickets } from './shared-tickets.js'
import { forgetTurns, sharedTurns } from './shared-turns.js'

const forget = [
  forgetLimits,
  forgetTickets,
  forgetSessions,
  forgetTasks,
  forgetExcessTasks,
  forgetEvents,
  forgetApprovals,
  forgetGrants,
  forgetChanges,
  forgetTurns,
  forgetLabels,
]
const statementMs = 4_000

type PostgresOptions = FallbackOptions & {
  /** Prefix of the table names, by default `shared`. Servers with the same prefix share everything. */
  prefix?: string
}

const known = optionsOf<PostgresOptions>()(fallbackValues, { prefix: someText })

/** Everything that replicas of a server can share. */
export interface PostgresStores extends ReturnType<typeof storesIn> {}

/**
 * Everything that replicas of a server can share, in tables of the schema `toolwire` and by the clock of the database. The tables
 * are created on first use, or earlier by `migrate()`. While the database cannot be reached, each of the `replicas` grants its
 * share of the rate limits, and everything that needs the database is refused.
 *
 * @example
 * ```ts
 * const stores = (pool: Parameters<typeof postgresStores>[0]) => postgresStores(pool, { replicas: 3 })
 * ```
 */
export const postgresStores = (pool: PostgresPool, options: PostgresOptions): PostgresStores => storesIn(pool, options)

function storesIn(pool: PostgresPool, options: PostgresOptions) {
  checkOptions('postgresStores()', options, known)
  const { prefix = 'shared', ...fallback } = options
  const { sql, migrate } = sharedDatabase(pool, { withinMs: statementMs, forget, prefix })
  return {
    /** Creates missing tables. */
    migrate,
    /** For `limitStore`. */
    limits: withLocalFallback(sharedLimits(sql), fallback),
    /** For `spentTickets`. */
    spentTickets: sharedTickets(sql),
    /** For `taskStore`. */
    tasks: sharedTasks(sql),
    /** For `sharedChanges`: the announcements of one replica reach the clients of all. */
    changes: sharedChanges(sql),
    /** For `approvalQueue()`. */
    approvals: sharedApprovals(sql),
    /** For `remember` of `approve()`. */
    grants: sharedGrants(sql),
    /** For `pin()`. */
    pins: sharedPins(sql),
    /** For `shared` of `concurrency()`. */
    turns: sharedTurns(sql),
    /** For `received` of `rules()`. */
    labels: sharedLabels(sql),
    /** For `events` of the HTTP options. */
    events: sharedEvents(sql),
    /** For `sessions` of the HTTP options: ended sessions, log levels and watched resources. */
    sessions: sharedSessions(sql),
  }
}
