// Two gateways that have each other as upstreams would relist each other's tools under ever longer names. So a gateway declares its id,
// marks each definition with the gateways that it passed through, and does not offer a definition that passed through itself.
import { createHash, randomUUID } from 'node:crypto'
import type { Json, JsonObject } from 'toolwire'
import { isObject } from '../../json/is-object.js'
import type { UpstreamCatalog } from '../upstream-catalog.js'

const extension = 'dev.toolwire/gateway'
const cameByKey = 'dev.toolwire/came-by'

/** The id of a gateway: a hash of its secret, so that the id survives a restart and does not reveal the secret. Random without a secret. */
export function gatewayId(secret: string | readonly string[] | undefined): string {
  const [first = randomUUID()] = [secret].flat()
  return createHash('sha256').update(`gateway ${first}`).digest('base64url').slice(0, 22)
}

export const declaredExtension = (id: string): { readonly [name: string]: JsonObject } => ({ [extension]: { id } })

/** A definition with the gateways that it passed through; undefined if this gateway is one of them. */
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
