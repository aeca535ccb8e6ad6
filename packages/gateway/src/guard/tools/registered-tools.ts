// Every tool that is registered anywhere here, as callers may come to see it.
import type { Policy, ReadyTool } from 'toolwire/guard'
import type { ListedTool } from 'toolwire/relay'

/** What some calls and lists are kept from. */
export type ToolFilter = Required<Pick<Policy, 'list' | 'call'>>

export class RegisteredTools {
  /** Asked about each tool when that is registered, and that is when it learns of it. */
  readonly policy: Policy
  /** What nobody is to see or call, though it is there. */
  filter: ToolFilter | undefined
  readonly #latest = new Map<string, ReadyTool>()
  readonly #seen = new WeakSet<ListedTool>()
  readonly #listeners = new Set<(tool: ReadyTool) => void>()

  constructor(onArrival: (tool: ReadyTool) => void) {
    this.#listeners.add(onArrival)
    this.policy = {
      name: 'catalogue',
      applies: (tool) => {
        this.#arrived(tool)
        return true
      },
      list: (tools, caller) => this.filter?.list(tools, caller) ?? tools,
      call: (call, next) => (this.filter ? this.filter.call(call, next) : next(call)),
    }
  }

  /** Calls back with each tool that is registered from now on. */
  onRegister(listener: (tool: ReadyTool) => void): void {
    this.#listeners.add(listener)
  }

  /** All that were registered last under their names. */
  get latest(): readonly ReadyTool[] {
    return [...this.#latest.values()]
  }

  /** Those of these names. */
  named(names: readonly string[]): readonly ReadyTool[] {
    const wanted = new Set(names)
    for (const name of this.#latest.keys()) if (!wanted.has(name)) this.#latest.delete(name)
    return names.flatMap((name) => this.#latest.get(name) ?? [])
  }

  #arrived(tool: ReadyTool): void {
    if (this.#seen.has(tool.listed)) return
    this.#seen.add(tool.listed)
    this.#latest.set(tool.name, tool)
    for (const listener of this.#listeners) listener(tool)
  }
}
