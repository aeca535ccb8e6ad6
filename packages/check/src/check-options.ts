import type { JsonObject } from 'toolwire'

/** A program to start, or an endpoint of Streamable HTTP. */
export type CheckTarget =
  | { readonly url: string; readonly headers?: Readonly<Record<string, string>> }
  | {
      readonly command: string
      readonly args?: readonly string[]
      readonly env?: Readonly<Record<string, string>>
      readonly cwd?: string
    }

/** What to try, and how far to go. */
export type CheckOptions = {
  /** Revisions to try; every one the server speaks if not said. */
  readonly revisions?: readonly string[]
  /** Ids of demands, or how they begin: `http`, `list-order`. */
  readonly only?: readonly string[]
  /** Tools to call, with their arguments, even if they are not declared read-only. */
  readonly tools?: Readonly<Record<string, JsonObject>>
  /** A tool that takes its time, with its arguments: it is called to its end, then called again and called off. */
  readonly slow?: { readonly name: string; readonly args: JsonObject }
  /** Call every tool, those that change something too. */
  readonly allowCalls?: boolean
  /** How many calls to send at once to see a limit; none if not said. */
  readonly flood?: number
  /** How long one answer may take. */
  readonly timeoutMs?: number
  /** How long a server may take to start and say its first words: 20 s if not said, or as long as an answer where that is longer. */
  readonly startMs?: number
  /** How long everything may take; what is left then is not tried. */
  readonly totalMs?: number
  /** Stops the check: what has not been tried by then is not tried. */
  readonly signal?: AbortSignal
  /** Called after each demand that was tried in a revision. */
  readonly onProgress?: (progress: CheckProgress) => void
}

/** How far a check is. */
export type CheckProgress = { readonly tried: number; readonly total: number }
