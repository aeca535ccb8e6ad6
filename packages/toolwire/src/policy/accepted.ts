// Which definition of a tool is the accepted one, as a store of pins knows it.
import type { ToolCall } from '../tools/tool.js'
import { definitionHash, definitionOf } from './definition-hash.js'
import { frozenCopy } from './frozen.js'
import { type Pin, type PinStore, placeOf, recordFirst } from './pin-store.js'

/** A tool where it lives. */
export type Sight = Pick<ToolCall, 'server' | 'tool'>

/** Tells at once that a tool is what was accepted: most stores have their answer at hand, and most tools are. Says no where it cannot tell. */
export function acceptedAtOnce(store: PinStore): (sight: Sight) => boolean {
  let answersLater = false
  return ({ server, tool }) => {
    if (answersLater) return false
    try {
      const found = store.get(server, tool.name)
      if (!(found instanceof Promise)) return found?.hash === definitionHash(tool)
      answersLater = true
      found.catch(ignore) // it is asked again, by whoever tells of the failure
      return false
    } catch {
      return false
    }
  }
}

/** Finds what was accepted, which for a tool that nobody has seen before may be what it is now. */
export function acceptedIn(store: PinStore, acceptsUnknown: boolean): (sight: Sight, hash: string) => Promise<Pin | undefined> {
  const firstSights = new Map<string, Promise<Pin>>()

  /** Two first calls at once must not each accept a definition of their own. */
  function firstSight(sight: Sight, hash: string): Promise<Pin> {
    const place = placeOf(sight.server, sight.tool.name)
    const recorded = firstSights.get(place) ?? recordFirst(store, pinOf(sight, hash)).finally(() => firstSights.delete(place))
    firstSights.set(place, recorded)
    return recorded
  }

  return async (sight, hash) => {
    const known = await store.get(sight.server, sight.tool.name)
    return known ?? (acceptsUnknown ? firstSight(sight, hash) : undefined)
  }
}

const ignore = () => undefined

const pinOf = ({ server, tool }: Sight, hash: string): Pin => ({
  server,
  tool: tool.name,
  hash,
  definition: frozenCopy(definitionOf(tool)),
  at: Date.now(),
})
