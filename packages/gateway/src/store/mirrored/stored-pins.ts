import type { Pin, PinStore } from 'toolwire/guard'
import type { MemoryMirror } from './memory-mirror.js'

/** Accepted definitions, in the database. */
export function storedPins(kept: MemoryMirror<Pin>): PinStore {
  return {
    get: (server, tool) => kept.get(keyOf(server, tool)),
    set: (pin) => kept.put(keyOf(pin.server, pin.tool), pin),
    delete: (server, tool) => kept.drop(keyOf(server, tool)),
    list: () => kept.entries().map(([, pin]) => pin),
  }
}

/** No two pairs have the same. */
const keyOf = (server: string | undefined, tool: string): string => JSON.stringify([server ?? null, tool])
