// Every tool registered at any endpoint.

import type { ReadyTool } from 'toolwire/guard'
import type { ListedTool } from 'toolwire/relay'

export type RegisteredTools = ReturnType<typeof registeredTools>

/** Calls back with each tool once, when it is registered for the first time. */
export function registeredTools(onNew: (tool: ReadyTool) => void) {
  const latest = new Map<string, ReadyTool>()
  /** The set that serves each tool; undefined for the endpoint with everything. */
  const sets = new WeakMap<ListedTool, string | undefined>()
  return {
    /** Returns the latest registrations of these names and forgets all other names. */
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
