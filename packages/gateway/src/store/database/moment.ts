/** What a clock said in another thread, and when it was asked. The wait until the work is done counts, too. */
export type Moment = { readonly now: number; readonly said: number }

/** The same in all threads, and unmoved when somebody sets the clock on the wall. */
export const sameEverywhere = (): number => Number(process.hrtime.bigint() / 1_000n) / 1_000

export const momentOf = (now: number): Moment => ({ now, said: sameEverywhere() })

export const nowIn = ({ now, said }: Moment): number => now + (sameEverywhere() - said)
