// With keys it takes two to allow: one asks for it, and another, which nobody hits by chance, gives it.

/** What was asked about, and when. */
export type Confirmation = { readonly of: string; readonly askedAt: number }

/** Milliseconds for which the second step may follow the first. */
export const confirmationMs = 10_000

/** Whether the second step is about what the first was about, and soon enough. */
export const isConfirmed = (consent: Confirmation | undefined, of: string, now: number): boolean =>
  consent !== undefined && of !== '' && consent.of === of && now - consent.askedAt < confirmationMs
