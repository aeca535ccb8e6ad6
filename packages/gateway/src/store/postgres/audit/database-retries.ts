import { setTimeout as pause } from 'node:timers/promises'
import { withDeadline } from '../../../bounds/deadline.js'
import { StoreFailure } from '../../store-failure.js'
import type { Postgres } from '../connection.js'
import { ensurePartitions } from './partitions.js'

export const retryEveryMs = 100
/** SQLSTATE: a row does not fit into any partition. */
const noPartition = 'POSTGRES_23514'

type RetryOptions = { readonly postgres: Postgres; readonly isHealthy: () => boolean; readonly withinMs: number }

/** Retries until the time is over. After an earlier failure it tries only once, so that nobody waits for long. */
export function databaseRetries({ postgres, isHealthy, withinMs: usualMs }: RetryOptions) {
  return async <T>(work: () => Promise<T>, withinMs = usualMs): Promise<T> => {
    const until = performance.now() + withinMs
    for (;;) {
      try {
        return await withinDeadline(until, work)
      } catch (thrown) {
        const isMissing = thrown instanceof StoreFailure && thrown.code === noPartition
        if (isMissing) await withinDeadline(until, () => ensurePartitions(postgres))
        else if (!isHealthy() || !isRetryable(thrown) || performance.now() + retryEveryMs > until) throw thrown
        await pause(retryEveryMs)
      }
    }
  }
}

/** False for errors that waiting does not repair; they are thrown at once. */
const isRetryable = (thrown: unknown): boolean =>
  thrown instanceof StoreFailure && !/^POSTGRES_(22|23|42)/.test(thrown.code ?? '')

const withinDeadline = <T>(until: number, work: () => Promise<T>): Promise<T> =>
  withDeadline(Math.max(0, until - performance.now()), work(), () => {
    throw new StoreFailure('PostgreSQL has not answered in time. Calls are refused until it does', 'POSTGRES_SILENT')
  })
