import { SchemaError } from '../schema-error.js'

/** Splits a URI reference at its fragment. */
export function splitFragment(reference: string): [address: string, fragment: string] {
  const at = reference.indexOf('#')
  return at < 0 ? [reference, ''] : [reference.slice(0, at), reference.slice(at + 1)]
}

/** Resolves a reference without fragment against the URI of the resource it stands in. */
export function resolveUri(address: string, base: string): string {
  try {
    return new URL(address, base).href
  } catch (thrown) {
    throw new SchemaError('unresolved-ref', `${JSON.stringify(address)} is not a URI that can be resolved here; correct it.`, {
      cause: thrown,
    })
  }
}
