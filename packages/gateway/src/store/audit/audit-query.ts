import type { AuditOutcome } from 'toolwire/guard'

/** Search conditions; an absent one does not matter. */
export type AuditQuery = {
  /** A text anywhere in the record of a call, in any case. */
  readonly text?: string
  readonly caller?: string
  readonly server?: string
  readonly tool?: string
  /** The outcome of the call; 'open' if it is unknown or the call is still running. */
  readonly outcome?: AuditOutcome['outcome'] | 'open'
  readonly decision?: AuditOutcome['decision']
  /** Milliseconds since 1970, both included. */
  readonly from?: number
  readonly to?: number
  /** Only older calls: the `before` of the previous page. */
  readonly before?: number
  /** 50 by default, and 1,000 at most. */
  readonly limit?: number
}

const usualLimit = 50
const mostLimit = 1_000

export const pageLimit = ({ limit = usualLimit }: AuditQuery): number =>
  Math.min(Math.max(1, Math.trunc(limit) || usualLimit), mostLimit)

/** A LIKE pattern that finds a text anywhere in JSON. */
export const likeText = (text: string): string => `%${inJson(text).replaceAll(/[\\%_]/g, '\\$&')}%`

/**
 * The characters of a text in JSON, each with its other case; undefined if LIKE suffices. Of other letters than those of ASCII, SQLite
 * knows no cases, and PostgreSQL only those of its locale.
 */
export function charactersInAnyCase(text: string): readonly string[] | undefined {
  const all = [...inJson(text)].map(withOtherCase)
  return all.some((cases) => cases.length > 1 && /[^\0-\x7f]/.test(cases[0])) ? all.map((cases) => cases.join('')) : undefined
}

function withOtherCase(character: string): [string, ...string[]] {
  const lower = character.toLowerCase()
  // The other case of some letters is several letters, or a letter whose own other case is a third one.
  const others = [lower, character.toUpperCase()].filter(
    (one) => one !== character && isSingle(one) && one.toLowerCase() === lower,
  )
  return [character, ...others]
}

const isSingle = ([, second]: Iterable<string>): boolean => second === undefined

const inJson = (text: string): string => JSON.stringify(text).slice(1, -1)

/** Calls, newest first. */
export type AuditPage = {
  readonly calls: readonly AuditCall[]
  /** The position of the next page, absent after the last one. A page may be short although more pages follow. */
  readonly before?: number
}

/** A call: its intent and its outcome. */
export type AuditCall = Pick<AuditOutcome, 'at' | 'caller' | 'server' | 'tool' | 'continued'> &
  Partial<Pick<AuditOutcome, 'durationMs' | 'decision' | 'outcome'>> & {
    /** Sequence of the intent; among all records, if several gateways write streams of their own. */
    readonly sequence: number
    /** The run of a gateway whose stream has the call, if several gateways share a log. */
    readonly stream?: string
    /** The id shared by intent and outcome. */
    readonly call: string
    /** The sequence of the outcome. */
    readonly ended?: number
    readonly reason?: string
    /** The reason why the call was allowed without a question, if it was an unverified claim or a standing approval. */
    readonly ground?: AuditOutcome['ground'] & string
  }

/** A call as a database returns it, with null for absent values. */
export type CallRow = { readonly [member in keyof AuditCall]: AuditCall[member] | null }
