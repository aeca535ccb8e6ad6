import type { Json, JsonObject } from '../../json.js'
import type { Dialect } from '../dialects/dialects.js'
import { SchemaError } from '../schema-error.js'

/** A schema document, or a part of one with its own `$id`. References are resolved within it. */
export type SchemaResource = {
  readonly uri: string
  readonly root: Json
  readonly dialect: Dialect
  readonly anchors: Map<string, JsonObject>
  readonly dynamicAnchors: Map<string, JsonObject>
}

/** The dynamic scope: the schema resources entered so far, innermost first. */
export type DynamicScope = { readonly resource: SchemaResource; readonly outer: DynamicScope | undefined }

export function splitFragment(reference: string): [address: string, fragment: string] {
  const at = reference.indexOf('#')
  return at < 0 ? [reference, ''] : [reference.slice(0, at), reference.slice(at + 1)]
}

/** Resolves a reference without fragment against the URI of its resource. */
export function resolveUri(address: string, base: string): string {
  if (URL.canParse(address, base)) return new URL(address, base).href
  throw new SchemaError('unresolved-ref', `${JSON.stringify(address)} is not a URI that can be resolved here; correct it.`)
}
