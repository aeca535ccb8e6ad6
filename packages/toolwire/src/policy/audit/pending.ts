/** Whether there is something to wait for. A promise of another library is one, too. */
export const isPending = <T>(value: T | Promise<T>): value is Promise<T> =>
  typeof value === 'object' && value !== null && 'then' in value && typeof value.then === 'function'

/** Goes on with the value: at once, where it is there at once. */
export const thenOrNow = <T, R>(value: T | Promise<T>, next: (value: T) => R | Promise<R>): R | Promise<R> =>
  isPending(value) ? value.then(next) : next(value)
