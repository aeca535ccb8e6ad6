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

export type CheckOptions = {
  /** Revisions to try; all that the server speaks by default. */
  readonly revisions?: readonly string[]
  /** Ids of checks, or prefixes of ids: `http`, `list-order`. */
  readonly only?: readonly string[]
  /** Tools to call, with their arguments, even if they are not declared read-only. */
  readonly tools?: Readonly<Record<string, JsonObject>>
  /** A slow tool with its arguments. It is called twice: once to its end, and once to be cancelled. */
  readonly slow?: { readonly name: string; readonly args: JsonObject }
  /** Calls every tool, including tools that change something. */
  readonly allowCalls?: boolean
  /** The number of calls sent at once to find a rate limit; none by default. */
  readonly flood?: number
  /** Timeout of one response. */
  readonly timeoutMs?: number
  /** Timeout of a server's start and first response: by default 20 s, or `timeoutMs` if that is longer. */
  readonly startMs?: number
  /** Timeout of the whole check; checks that are left then are not tried. */
  readonly totalMs?: number
  /** Stops the check: checks that are left then are not tried. */
  readonly signal?: AbortSignal
  /** Called after each check in each revision. */
  readonly onProgress?: (progress: CheckProgress) => void
}

export type CheckProgress = { readonly tried: number; readonly total: number }
