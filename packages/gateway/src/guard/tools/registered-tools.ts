// Every tool registered at any endpoint.

import type { ReadyTool } from 'toolwire/guard'
import type { ListedTool } from 'toolwire/relay'

export type RegisteredTools = ReturnType<typeof registeredTools>

/** Calls back with each tool once, when it is registered for the first time. */
export function registeredTools(onNew: (tool: ReadyTool) => void) {
  /** The set that serves each tool; undefined for the endpoint with everything. */
  const sets = new WeakMap<ListedTool, string | undefined>()
  return {
    setOf: ({ listed }: ReadyTool): string | undefined => sets.get(listed),
    add(tool: ReadyTool, set: string | undefined): void {
      if (sets.has(tool.listed)) return
      sets.set(tool.listed, set)
      onNew(tool)
    },
  }
}
