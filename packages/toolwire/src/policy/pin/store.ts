import type { JsonObject } from '../../json.js'

/** A definition that has been accepted. */
export type Pin = {
  readonly server: string | undefined
  /** Identity of the server, if it is known. The pin does not hold for another server of the same name. */
  readonly serverIdentity?: string
  readonly tool: string
  readonly hash: string
  readonly definition: JsonObject
  /** Milliseconds since 1970. */
  readonly at: number
}

/** Stores accepted definitions. If the store fails, calls are refused. */
export interface PinStore {
  get(server: string | undefined, tool: string): Pin | undefined | Promise<Pin | undefined>
  set(pin: Pin): void | Promise<void>
  /** Stores the pin unless there is one already, and returns the stored one; for stores that several processes share. */
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

/** Unique key of a server and a tool. */
export const toolKey = (server: string | undefined, tool: string): string => JSON.stringify([server ?? null, tool])

/** Stores the pin unless there is one already, and returns the stored one. */
export async function pinFirst(store: PinStore, seen: Pin): Promise<Pin> {
  const known = await store.get(seen.server, seen.tool)
  if (known) return known
  if (store.first) return store.first(seen)
  await store.set(seen)
  return seen
}
