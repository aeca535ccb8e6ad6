// Nothing is allowed by a hand that was on its way already: what is shown has stood still for a moment, in a window that is looked at.

/** Milliseconds. */
export const armingMs = 500

/** What stands there, and since when; moments come from a clock that never goes back. */
export type Arming = { readonly of: string; readonly since: number; readonly isLookedAt: boolean }

export const nothingArmed: Arming = { of: '', since: 0, isLookedAt: false }

/** Something else stands there, or the same has changed: the name says which, and the time begins anew. */
export const armAnew = (before: Arming, of: string, now: number): Arming =>
  before.of === of ? before : { ...before, of, since: now }

/** The window got or lost the eyes of its reader. */
export function withVisibility(before: Arming, isLookedAt: boolean, now: number): Arming {
  if (before.isLookedAt === isLookedAt) return before
  return { ...before, isLookedAt, since: isLookedAt ? now : before.since }
}

export const isArmed = (arming: Arming, of: string, now: number): boolean =>
  of !== '' && arming.of === of && arming.isLookedAt && now - arming.since >= armingMs
