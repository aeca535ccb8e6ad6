import { isObject, type Json } from './value.js'

/** JSON with its members in order, so that equal values give equal text. */
export function canonicalJson(value: Json | undefined): string {
  return (
    JSON.stringify(value, (_, inner: Json) =>
      isObject(inner) ? Object.fromEntries(Object.entries(inner).sort(([a], [b]) => (a < b ? -1 : 1))) : inner,
    ) ?? 'null'
  )
}
