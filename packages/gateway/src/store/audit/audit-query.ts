import type { AuditOutcome } from 'toolwire/guard'

/** What to look for. What is not said does not matter. */
export type AuditQuery = {
  /** Anywhere in the record of a call, in any case. */
  readonly text?: string
  readonly caller?: string
  readonly server?: string
  readonly tool?: string
  /** How the call ended; 'open' where nobody knows, or it goes on. */
  readonly outcome?: AuditOutcome['outcome'] | 'open'
  readonly decision?: AuditOutcome['decision']
  /** Milliseconds since 1970, both included. */
  readonly from?: number
  readonly to?: number
  /** Only what is older: the `before` of the page above. */
  readonly before?: number
  /** 50 if not said, and 1,000 at most. */
  readonly limit?: number
}

const usualLimit = 50
const mostLimit = 1_000

export const pageLimit = ({ limit = usualLimit }: AuditQuery): number =>
  Math.min(Math.max(1, Math.trunc(limit) || usualLimit), mostLimit)

/** For LIKE: a text as it is written in JSON, anywhere. */
export const likeText = (text: string): string =>
  `%${JSON.stringify(text)
    .slice(1, -1)
    .replaceAll(/[\\%_]/g, '\\$&')}%`

/** Calls, newest first. */
export type AuditPage = {
  readonly calls: readonly AuditCall[]
  /** Where to go on; without it there is nothing more. A page may be short, and there may be more all the same. */
  readonly before?: number
}

/** A call: its intent, with how it ended. */
export type AuditCall = Pick<AuditOutcome, 'at' | 'caller' | 'server' | 'tool' | 'continued'> &
  Partial<Pick<AuditOutcome, 'durationMs' | 'decision' | 'outcome'>> & {
    /** Of the intent: among all records, where several gateways write streams of their own. */
    readonly sequence: number
    /** The start of a gateway whose stream has the call, where several share a log. */
    readonly stream?: string
    /** The id that intent and outcome have in common. */
    readonly call: string
    /** The sequence of the outcome. */
    readonly ended?: number
    readonly reason?: string
    /** Nothing but the unverified word of its server, that the tool only reads, has allowed the call. */
    readonly ground?: AuditOutcome['ground'] & string
  }
