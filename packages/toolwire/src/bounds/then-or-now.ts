/** True for a promise, also for one of another library. */
export const isPending = <T>(value: T | Promise<T>): value is Promise<T> =>
  typeof value === 'object' && value !== null && 'then' in value && typeof value.then === 'function'

/** Calls `next` with the value, synchronously if the value is not a promise. */
export const thenOrNow = <T, R>(value: T | Promise<T>, next: (value: T) => R | Promise<R>): R | Promise<R> =>
  isPending(value) ? value.then(next) : next(value)
