// Which definition of a tool is the accepted one, as a store of pins knows it.
import type { ReadyTool, ToolCall } from '../../tools/tool.js'
import { frozenCopy } from '../frozen-copy.js'
import { definitionHash, definitionOf } from '../hash/definition-hash.js'
import { type Pin, type PinStore, pinFirst, toolKey } from './store.js'

/** A tool where it lives. */
export type SeenTool = Pick<ToolCall, 'server' | 'tool'>

/** Whether this is the definition, and the server, that was accepted. */
export const isAcceptedDefinition = (accepted: Pin | undefined, tool: ReadyTool): boolean =>
  accepted !== undefined && accepted.hash === definitionHash(tool) && accepted.serverIdentity === tool.definition.serverIdentity

/** Tells at once that a tool is what was accepted: most stores have their answer at hand, and most tools are. Says no where it cannot tell. */
export function acceptedSync(store: PinStore): (sight: SeenTool) => boolean {
  let answersLater = false
  return ({ server, tool }) => {
    if (answersLater) return false
    try {
      const found = store.get(server, tool.name)
      if (!(found instanceof Promise)) return isAcceptedDefinition(found, tool)
      answersLater = true
      found.catch(ignore) // the call itself asks again and reports the failure
      return false
    } catch {
      return false
    }
  }
}

/** Finds what was accepted, which for a tool that nobody has seen before may be what it is now. */
export function acceptedIn(
  store: PinStore,
  acceptsUnknown: boolean,
): (sight: SeenTool, hash: string) => Promise<Pin | undefined> {
  const firstSights = new Map<string, Promise<Pin>>()

  /** Two first calls at once must not each accept a definition of their own. */
  function firstSight(sight: SeenTool, hash: string): Promise<Pin> {
    const place = toolKey(sight.server, sight.tool.name)
    const recorded = firstSights.get(place) ?? pinFirst(store, pinOf(sight, hash)).finally(() => firstSights.delete(place))
    firstSights.set(place, recorded)
    return recorded
  }

  return async (sight, hash) => {
    const known = await store.get(sight.server, sight.tool.name)
    return known ?? (acceptsUnknown ? firstSight(sight, hash) : undefined)
  }
}

const ignore = () => undefined

/** Scopes a key or record to this server. */
export const identityIn = ({ definition: { serverIdentity } }: ReadyTool): { readonly serverIdentity?: string } =>
  serverIdentity === undefined ? {} : { serverIdentity }

const pinOf = ({ server, tool }: SeenTool, hash: string): Pin => ({
  server,
  ...identityIn(tool),
  tool: tool.name,
  hash,
  definition: frozenCopy(definitionOf(tool)),
  at: Date.now(),
})
