// Every tool that is registered anywhere here, as callers may come to see it.

import type { ReadyTool } from 'toolwire/guard'
import type { ListedTool } from 'toolwire/relay'

export class RegisteredTools {
  readonly #latest = new Map<string, ReadyTool>()
  /** The set in which each is served; undefined where it is served with everything. */
  readonly #sets = new WeakMap<ListedTool, string | undefined>()
  readonly #onNew: (tool: ReadyTool) => void

  /** Calls back with each tool once, when it is registered for the first time. */
  constructor(onNew: (tool: ReadyTool) => void) {
    this.#onNew = onNew
  }

  /** Those of these names, as they were registered last. */
  named(names: readonly string[]): readonly ReadyTool[] {
    const wanted = new Set(names)
    for (const name of this.#latest.keys()) if (!wanted.has(name)) this.#latest.delete(name)
    return names.flatMap((name) => this.#latest.get(name) ?? [])
  }

  setOf({ listed }: ReadyTool): string | undefined {
    return this.#sets.get(listed)
  }

  readonly add = (tool: ReadyTool, set: string | undefined): void => {
    if (this.#sets.has(tool.listed)) return
    this.#sets.set(tool.listed, set)
    this.#latest.set(tool.name, tool)
    this.#onNew(tool)
  }
}
