// Every tool that is registered anywhere here, as callers may come to see it.

import type { ReadyTool } from 'toolwire/guard'
import type { ListedTool } from 'toolwire/relay'

export type RegisteredTools = ReturnType<typeof registeredTools>

/** Calls back with each tool once, when it is registered for the first time. */
export function registeredTools(onNew: (tool: ReadyTool) => void) {
  const latest = new Map<string, ReadyTool>()
  /** The set in which each is served; undefined where it is served with everything. */
  const sets = new WeakMap<ListedTool, string | undefined>()
  return {
    /** Those of these names, as they were registered last. */
    named(names: readonly string[]): readonly ReadyTool[] {
      const wanted = new Set(names)
      for (const name of latest.keys()) if (!wanted.has(name)) latest.delete(name)
      return names.flatMap((name) => latest.get(name) ?? [])
    },
    setOf: ({ listed }: ReadyTool): string | undefined => sets.get(listed),
    add(tool: ReadyTool, set: string | undefined): void {
      if (sets.has(tool.listed)) return
      sets.set(tool.listed, set)
      latest.set(tool.name, tool)
      onNew(tool)
    },
  }
}
