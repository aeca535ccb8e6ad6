/** What a clock said in another thread, and when it was asked. The wait until the work is done counts, too. */
export type ClockMoment = { readonly now: number; readonly said: number }

/** The same in all threads, and unmoved when somebody sets the clock on the wall. */
export const monotonicNow = (): number => Number(process.hrtime.bigint() / 1_000n) / 1_000

export const readClock = (now: number): ClockMoment => ({ now, said: monotonicNow() })

export const nowFrom = ({ now, said }: ClockMoment): number => now + (monotonicNow() - said)
