import type { MemoryMirror } from './memory-mirror.js'

/** What is remembered of tools besides their definitions: each kind of mark by server and name. */
type ToolMarks = {
  /** Whether callers see it, and may call it, as somebody has said. */
  readonly state: { readonly state: 'off' | 'hidden'; readonly at: number; readonly by: string }
  /** Milliseconds since 1970 when it was listed for the first time. */
  readonly seen: { readonly at: number }
  /** Who has accepted the definition with this hash. */
  readonly accepted: { readonly hash: string; readonly serverIdentity?: string; readonly at: number; readonly by: string }
  /** Who does not want to be asked about the definition with this hash any more. */
  readonly refused: { readonly hash: string; readonly serverIdentity?: string; readonly at: number; readonly by: string }
}

type MarkKind = keyof ToolMarks
type Named = { readonly server: string; readonly tool: string }

export type ToolMarkStore = ReturnType<typeof storedToolMarks>

/** Marks on tools, in the database and all of them in memory. */
export const storedToolMarks = (kept: MemoryMirror<object>) => ({
  // Each kind is kept under keys of its own, so what is found there is one of them.
  get: <K extends MarkKind>(kind: K, at: Named) => kept.get(keyOf(kind, at)) as ToolMarks[K] | undefined,
  list: <K extends MarkKind>(kind: K): readonly (Named & ToolMarks[K])[] =>
    kept.entries().flatMap(([key, mark]) => {
      const [of, server, tool] = JSON.parse(key) as [MarkKind, string, string] // as `keyOf` has written it
      return of === kind ? [{ server, tool, ...(mark as ToolMarks[K]) }] : []
    }),
  /** It counts when it is safe. */
  set: <K extends MarkKind>(kind: K, at: Named, mark: ToolMarks[K]) => kept.put(keyOf(kind, at), mark),
  drop: (kind: MarkKind, at: Named) => kept.drop(keyOf(kind, at)),
  /** Calls back with each mark that was set or taken away at another gateway. */
  onChange: <K extends MarkKind>(kind: K, listener: (at: Named, mark: ToolMarks[K] | undefined) => void): void =>
    kept.onChange((key, mark) => {
      const [of, server, tool] = JSON.parse(key) as [MarkKind, string, string]
      if (of === kind) listener({ server, tool }, mark as ToolMarks[K] | undefined)
    }),
})

/** No two have the same. */
const keyOf = (kind: MarkKind, { server, tool }: Named): string => JSON.stringify([kind, server, tool])
