// Finds the accepted definition of a tool in a pin store.
import type { ReadyTool, ToolCall } from '../../tools/tool.js'
import { frozenCopy } from '../frozen-copy.js'
import { definitionHash, definitionOf } from '../hash/definition-hash.js'
import { type Pin, type PinStore, pinFirst, toolKey } from './store.js'

export type SeenTool = Pick<ToolCall, 'server' | 'tool'>

/** True if this definition, and its server, were accepted. */
export const isAcceptedDefinition = (accepted: Pin | undefined, tool: ReadyTool): boolean =>
  accepted !== undefined && accepted.hash === definitionHash(tool) && accepted.serverIdentity === tool.definition.serverIdentity

/** Checks synchronously that a tool is the accepted one, because most stores answer synchronously. Returns false if that is impossible. */
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

/** Finds the accepted pin. With `acceptsUnknown`, the first definition of a tool becomes the accepted one. */
export function acceptedIn(
  store: PinStore,
  acceptsUnknown: boolean,
): (sight: SeenTool, hash: string) => Promise<Pin | undefined> {
  const firstSights = new Map<string, Promise<Pin>>()

  /** Two first calls at once share one write, so that each does not accept a definition of its own. */
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
