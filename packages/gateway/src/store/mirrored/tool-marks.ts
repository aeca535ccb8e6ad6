import type { MemoryMirror } from './memory-mirror.js'

/** Data about tools besides their definitions: each kind of mark by server and name. */
type ToolMarks = {
  /** A person has switched the tool off or hidden it. */
  readonly state: { readonly state: 'off' | 'hidden'; readonly at: number; readonly by: string }
  /** Time when the tool was first listed, in milliseconds since 1970. */
  readonly seen: { readonly at: number }
  /** `by` has accepted the definition with this hash. */
  readonly accepted: { readonly hash: string; readonly serverIdentity?: string; readonly at: number; readonly by: string }
  /** `by` has refused the definition with this hash and is not asked about it again. */
  readonly refused: { readonly hash: string; readonly serverIdentity?: string; readonly at: number; readonly by: string }
}

type MarkKind = keyof ToolMarks
type Named = { readonly server: string; readonly tool: string }

export type ToolMarkStore = ReturnType<typeof storedToolMarks>

export const storedToolMarks = (kept: MemoryMirror<object>) => ({
  // Each kind has keys of its own, so a value found there has the type of its kind.
  get: <K extends MarkKind>(kind: K, at: Named) => kept.get(keyOf(kind, at)) as ToolMarks[K] | undefined,
  list: <K extends MarkKind>(kind: K): readonly (Named & ToolMarks[K])[] =>
    kept.entries().flatMap(([key, mark]) => {
      const [of, server, tool] = JSON.parse(key) as [MarkKind, string, string] // as `keyOf` has written it
      return of === kind ? [{ server, tool, ...(mark as ToolMarks[K]) }] : []
    }),
  /** Takes effect when the mark is safely stored. */
  set: <K extends MarkKind>(kind: K, at: Named, mark: ToolMarks[K]) => kept.put(keyOf(kind, at), mark),
  drop: (kind: MarkKind, at: Named) => kept.drop(keyOf(kind, at)),
  /** Calls `listener` with each mark that another gateway has set or removed. */
  onChange: <K extends MarkKind>(kind: K, listener: (at: Named, mark: ToolMarks[K] | undefined) => void): (() => void) =>
    kept.onChange((key, mark) => {
      const [of, server, tool] = JSON.parse(key) as [MarkKind, string, string]
      if (of === kind) listener({ server, tool }, mark as ToolMarks[K] | undefined)
    }),
})

const keyOf = (kind: MarkKind, { server, tool }: Named): string => JSON.stringify([kind, server, tool])
