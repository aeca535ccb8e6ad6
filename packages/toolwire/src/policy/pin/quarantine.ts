import type { ReadyTool } from '../../tools/tool.js'
import { isAcceptedDefinition } from './accepted.js'
import type { Drift } from './drift.js'
import { type Pin, toolKey } from './store.js'

/** A drift, and what was the accepted one at that time. */
type QuarantinedTool = { readonly drift: Drift; readonly against: Pin | undefined }

/** The tools whose definition is known not to be the accepted one. */
export class Quarantine {
  readonly #tell: (drift: Drift) => Promise<void>
  readonly #kept = new Map<string, QuarantinedTool>()
  readonly #telling = new Map<string, QuarantinedTool & { readonly told: Promise<void> }>()

  constructor(tell: (drift: Drift) => Promise<void>) {
    this.#tell = tell
  }

  get all(): readonly Drift[] {
    return [...this.#kept.values()].map(({ drift }) => drift)
  }

  at(server: string | undefined, tool: string): QuarantinedTool | undefined {
    return this.#kept.size === 0 ? undefined : this.#kept.get(toolKey(server, tool))
  }

  /** The drift of a listed tool, unless it is again the one that was accepted. */
  holds(tool: ReadyTool, server: string | undefined): Drift | undefined {
    const kept = this.at(server, tool.name)
    return isAcceptedDefinition(kept?.against, tool) ? undefined : kept?.drift
  }

  /** Tells of the drift, once if several calls come upon it together, and keeps it when that has been heard. */
  async put(kept: QuarantinedTool): Promise<void> {
    const place = toolKey(kept.drift.server, kept.drift.tool)
    const current = this.#telling.get(place)
    if (current && isSame(current, kept)) return current.told
    const told = this.#tell(kept.drift).then(() => void this.#kept.set(place, kept))
    const telling = { ...kept, told }
    this.#telling.set(place, telling)
    try {
      await told
    } finally {
      if (this.#telling.get(place) === telling) this.#telling.delete(place)
    }
  }

  release(server: string | undefined, tool: string): void {
    if (this.#kept.size > 0) this.#kept.delete(toolKey(server, tool))
  }
}

const isSame = (one: QuarantinedTool, other: QuarantinedTool): boolean =>
  isSameTool(one.drift, other.drift) && isSameTool(one.against, other.against)

type Hashed = { readonly hash: string; readonly serverIdentity?: string }

/** Whether both are the same definition, of the same server. */
export const isSameTool = (one: Hashed | undefined, other: Hashed | undefined): boolean =>
  one?.hash === other?.hash && one?.serverIdentity === other?.serverIdentity
