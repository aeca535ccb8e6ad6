import type { Json } from './value.js'

/** JSON with its members in order, so that equal values give equal text. */
export function canonicalJson(value: Json | undefined): string {
  return (
    JSON.stringify(value, (_, inner: Json) =>
      isPlain(inner) ? Object.fromEntries(Object.entries(inner).sort(([a], [b]) => (a < b ? -1 : 1))) : inner,
    ) ?? 'null'
  )
}

const isPlain = (value: Json): value is { [key: string]: Json } =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
