// Gateways that have each other as upstreams would offer each other's offers, under names that grow for ever. So a gateway says who it
// is, what comes from a gateway says by which it came, and what has come from here is not offered here again.
import { createHash, randomUUID } from 'node:crypto'
import type { Json, JsonObject } from 'toolwire'
import { isObject } from '../../json/is-object.js'
import type { UpstreamCatalog } from '../upstream-catalog.js'

const extension = 'dev.toolwire/gateway'
const cameByKey = 'dev.toolwire/came-by'

/** The same after a restart, where there is a secret that stays, and nothing that would tell that secret. */
export function gatewayId(secret: string | readonly string[] | undefined): string {
  const [first = randomUUID()] = [secret].flat()
  return createHash('sha256').update(`gateway ${first}`).digest('base64url').slice(0, 22)
}

/** What a gateway declares of itself. */
export const declaredExtension = (id: string): { readonly [name: string]: JsonObject } => ({ [extension]: { id } })

/** One thing that an upstream lists, with the gateways that it came by; undefined where one of them is this one. */
export function withGatewayPath<T extends object>(listed: T, from: UpstreamCatalog, here: string): T | undefined {
  const ways = gatewayPathOf(listed, from)
  if (ways.includes(here)) return undefined
  return ways.length === 0 ? listed : { ...listed, _meta: { ...metaOf(listed), [cameByKey]: ways } }
}

function gatewayPathOf(listed: object, { capabilities }: UpstreamCatalog): string[] {
  const said = metaOf(listed)[cameByKey]
  const before = Array.isArray(said) ? said.filter((one) => typeof one === 'string') : []
  const extensions = capabilities?.extensions
  const own = isObject(extensions) ? extensions[extension] : undefined
  const id = isObject(own) && typeof own.id === 'string' ? own.id : undefined
  return id === undefined ? before : [...new Set([...before, id])]
}

function metaOf(listed: object): JsonObject {
  const meta = '_meta' in listed ? (listed._meta as Json) : undefined // it came as JSON
  return isObject(meta) ? meta : {}
}
