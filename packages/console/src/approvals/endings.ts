// The outcome of calls that are no longer pending.

import type { Tone } from '../parts/Badge.js'

/** `over` if the call is known to be no longer pending, but not why. */
export type Ending = {
  readonly what: 'allowed' | 'denied' | 'expired' | 'gone' | 'over'
  readonly by?: string
  readonly why?: string
  /** Decided on this page. */
  readonly here?: boolean
}

/** Endings by call id. An ending may arrive before the call itself. */
export type Endings = ReadonlyMap<string, Ending>

const mostKept = 10_000

export const noEndings: Endings = new Map()

/** Adds endings; returns the same map if there are none. */
export function withEndings(before: Endings, news: Endings): Endings {
  if (news.size === 0) return before
  const all = new Map(before)
  for (const [id, ending] of news) all.set(id, betterEnding(all.get(id), ending))
  for (const id of all.keys()) {
    if (all.size <= mostKept) break
    all.delete(id)
  }
  return all
}

/** The first ending counts, unless a later one says more. */
export function betterEnding(known: Ending | undefined, heard: Ending): Ending {
  if (!known) return heard
  if (heard.what === 'over') return known
  if (known.what === 'over') return heard
  return heard.what === known.what ? { ...known, ...heard } : known
}

type ApprovalReport = { readonly decision?: string; readonly state?: string; readonly by?: string; readonly why?: string }

const states: ReadonlyMap<string, Ending['what']> = new Map([
  ['allow', 'allowed'],
  ['allowed', 'allowed'],
  ['released', 'allowed'],
  ['deny', 'denied'],
  ['denied', 'denied'],
  ['expired', 'expired'],
  ['gone', 'gone'],
])

/** Reads the ending from an event, a past call, or a rejected decision. */
export function endingOf({ decision = '', state = '', by, why }: ApprovalReport): Ending {
  const what = states.get(decision) ?? states.get(state) ?? 'over'
  return { what, ...(by !== undefined && { by }), ...(why !== undefined && { why }) }
}

/** The ending in a rejected decision; undefined if the call is still pending but has changed. */
export function endingIn(details: { readonly [name: string]: unknown }): Ending | undefined {
  const texts = Object.entries(details).filter((entry): entry is [string, string] => typeof entry[1] === 'string')
  const ending = endingOf(Object.fromEntries(texts))
  return ending.what === 'over' ? undefined : ending
}

/** Our own words for each ending: a short name and a sentence. */
export const endingTexts = {
  allowed: { name: 'allowed', sentence: 'Allowed', tone: 'ok' },
  denied: { name: 'denied', sentence: 'Denied', tone: 'warning' },
  expired: { name: 'too late', sentence: 'The call expired without a decision and was not made', tone: 'neutral' },
  gone: { name: 'caller gone', sentence: 'The caller gave up, so the call was not made', tone: 'neutral' },
  over: { name: 'over', sentence: 'The call is no longer pending', tone: 'neutral' },
} as const satisfies Record<Ending['what'], { readonly name: string; readonly sentence: string; readonly tone: Tone }>
