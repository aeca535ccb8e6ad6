import type { ReadyTool } from '../../tools/tool.js'
import { isAcceptedDefinition } from './accepted.js'
import type { Drift } from './drift.js'
import { type Pin, toolKey } from './store.js'

/** A drift, and the pin that was accepted at that time. */
type QuarantinedTool = { readonly drift: Drift; readonly against: Pin | undefined }

/** Keeps the tools whose definition is not the accepted one. */
export function quarantine(tell: (drift: Drift) => Promise<void>) {
  const kept = new Map<string, QuarantinedTool>()
  const telling = new Map<string, QuarantinedTool & { readonly told: Promise<void> }>()
  const at = (server: string | undefined, tool: string): QuarantinedTool | undefined =>
    kept.size === 0 ? undefined : kept.get(toolKey(server, tool))

  return {
    all: (): readonly Drift[] => [...kept.values()].map(({ drift }) => drift),
    at,
    /** The drift of a listed tool, unless the tool is again the accepted one. */
    holds(tool: ReadyTool, server: string | undefined): Drift | undefined {
      const known = at(server, tool.name)
      return isAcceptedDefinition(known?.against, tool) ? undefined : known?.drift
    },
    /** Reports the drift, once if several calls find it together, and keeps it after the report has succeeded. */
    async put(found: QuarantinedTool): Promise<void> {
      const place = toolKey(found.drift.server, found.drift.tool)
      const current = telling.get(place)
      if (current && isSame(current, found)) return current.told
      const told = tell(found.drift).then(() => {
        // A newer definition may have been found meanwhile.
        if (telling.get(place) === entry) kept.set(place, found)
      })
      const entry = { ...found, told }
      telling.set(place, entry)
      try {
        await told
      } finally {
        if (telling.get(place) === entry) telling.delete(place)
      }
    },
    release(server: string | undefined, tool: string): void {
      if (kept.size > 0) kept.delete(toolKey(server, tool))
    },
  }
}

const isSame = (one: QuarantinedTool, other: QuarantinedTool): boolean =>
  isSameTool(one.drift, other.drift) && isSameTool(one.against, other.against)

type Hashed = { readonly hash: string; readonly serverIdentity?: string }

export const isSameTool = (one: Hashed | undefined, other: Hashed | undefined): boolean =>
  one?.hash === other?.hash && one?.serverIdentity === other?.serverIdentity
