import { withDeadline } from '../../bounds/deadline.js'
import { StoreFailure } from '../store-failure.js'
import { networkAdvice } from './failures.js'

/** Rejects after a time; the work itself goes on. */
export const withTimeLimit = <T>(ms: number, work: Promise<T>): Promise<T> =>
  withDeadline(ms, work, () => {
    throw noAnswer(ms)
  })

export const noAnswer = (ms: number, code = 'POSTGRES'): StoreFailure =>
  new StoreFailure(`PostgreSQL has not answered for ${ms / 1_000} s. ${networkAdvice}`, code)
