import type { JsonObject } from '../../json.js'

/** A definition that has been accepted. */
export type Pin = {
  readonly server: string | undefined
  /** Which server it was, if that is known: the pin holds for no other one of the same name. */
  readonly serverIdentity?: string
  readonly tool: string
  readonly hash: string
  readonly definition: JsonObject
  /** Milliseconds since 1970. */
  readonly at: number
}

/** Where pins are kept. When it cannot be asked, calls are refused. */
export interface PinStore {
  get(server: string | undefined, tool: string): Pin | undefined | Promise<Pin | undefined>
  set(pin: Pin): void | Promise<void>
  /** Keeps it unless there is one already, and gives the one that is kept; for stores that several processes share. */
  first?(pin: Pin): Pin | Promise<Pin>
  delete(server: string | undefined, tool: string): void | Promise<void>
  list(): readonly Pin[] | Promise<readonly Pin[]>
}

/**
 * Pins kept in memory.
 *
 * @example
 * ```ts
 * const policy = pin({ store: memoryPins() })
 * ```
 */
export function memoryPins(): PinStore {
  const kept = new Map<string, Pin>()
  return {
    get: (server, tool) => kept.get(toolKey(server, tool)),
    set: (pin) => void kept.set(toolKey(pin.server, pin.tool), pin),
    delete: (server, tool) => void kept.delete(toolKey(server, tool)),
    list: () => [...kept.values()],
  }
}

/** One text for a server and a tool; no two pairs have the same. */
export const toolKey = (server: string | undefined, tool: string): string => JSON.stringify([server ?? null, tool])

/** What is known already counts more than what has been seen. */
export async function pinFirst(store: PinStore, seen: Pin): Promise<Pin> {
  const known = await store.get(seen.server, seen.tool)
  if (known) return known
  if (store.first) return store.first(seen)
  await store.set(seen)
  return seen
}
