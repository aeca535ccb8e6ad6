// Every tool that is registered anywhere here, as callers may come to see it.
import type { ListedTool, Policy, ReadyTool } from 'toolwire'

export class Catalogue {
  /** Stands around no call: it is asked about each tool when that is registered, and that is when it learns of it. */
  readonly policy: Policy
  readonly #latest = new Map<string, ReadyTool>()
  readonly #seen = new WeakSet<ListedTool>()

  constructor(onArrival: (tool: ReadyTool) => void) {
    this.policy = {
      name: 'catalogue',
      applies: (tool) => {
        if (this.#seen.has(tool.listed)) return false
        this.#seen.add(tool.listed)
        this.#latest.set(tool.name, tool)
        onArrival(tool)
        return false
      },
      call: (call, next) => next(call),
    }
  }

  /** Those of these names. */
  of(names: readonly string[]): readonly ReadyTool[] {
    const wanted = new Set(names)
    for (const name of this.#latest.keys()) if (!wanted.has(name)) this.#latest.delete(name)
    return names.flatMap((name) => this.#latest.get(name) ?? [])
  }
}
