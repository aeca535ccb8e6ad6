import type { Json, JsonObject } from '../../json.js'
import type { Dialect } from '../dialects/dialects.js'

/** A schema document, or a part of one with an `$id` of its own: what references are resolved within. */
export type SchemaResource = {
  readonly uri: string
  readonly root: Json
  readonly dialect: Dialect
  readonly anchors: Map<string, JsonObject>
  readonly dynamicAnchors: Map<string, JsonObject>
}
