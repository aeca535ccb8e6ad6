// "Always allow" means: the same tool and caller, with arguments that fit a schema. Here it is made from one call.
import type { JsonObject } from '../../api/types.js'

/** Which arguments of later calls must be what they are in this one, and whether there may be others. */
export type ConstraintChoice = { readonly equal: ReadonlySet<string>; readonly isClosed: boolean }

/** What "always" is to mean. */
export type GrantRequest = { readonly choice: ConstraintChoice; readonly forMs: number }

/** Tells two wishes apart. */
export const grantRequestKey = ({ choice: { equal, isClosed }, forMs }: GrantRequest): string =>
  JSON.stringify([forMs, isClosed, [...equal].sort()])

/** As narrow as it can be: the very same call. */
export const narrowest = (args: JsonObject): ConstraintChoice => ({ equal: new Set(Object.keys(args)), isClosed: true })

export function withEqual({ equal, isClosed }: ConstraintChoice, name: string, isEqual: boolean): ConstraintChoice {
  const others = [...equal].filter((one) => one !== name)
  return { equal: new Set(isEqual ? [...others, name] : others), isClosed }
}

/** A JSON Schema that this call satisfies, and later ones must. */
export function constraintOf(args: JsonObject, { equal, isClosed }: ConstraintChoice): JsonObject {
  const names = Object.keys(args)
  const bound = names.filter((name) => equal.has(name))
  // With others forbidden, those that may have any value must be named.
  const free = isClosed ? names.filter((name) => !equal.has(name)) : []
  // Made from entries: an argument may be called __proto__.
  const properties = Object.fromEntries([
    ...bound.map((name) => [name, { const: args[name] ?? null }] as const),
    ...free.map((name) => [name, true] as const),
  ])
  return {
    type: 'object',
    properties,
    ...(bound.length > 0 && { required: bound }),
    ...(isClosed && { additionalProperties: false }),
  }
}

/** Whether nothing at all is asked of later calls. */
export const isUnconstrained = ({ equal, isClosed }: ConstraintChoice): boolean => equal.size === 0 && !isClosed

/** How long "always" lasts at most; the gateway cuts what is longer. */
export const maxGrantMs = 28_800_000

/** What can be chosen, in milliseconds. */
export const grantDurations = [
  [900_000, '15 minutes'],
  [3_600_000, '1 hour'],
  [14_400_000, '4 hours'],
  [maxGrantMs, '8 hours'],
] as const satisfies readonly (readonly [ms: number, name: string])[]

/** The usual one. */
export const defaultGrantMs = 3_600_000

export const durationName = (ms: number): string =>
  grantDurations.find(([span]) => span === ms)?.[1] ?? `${Math.max(1, Math.round(ms / 60_000))} minutes`
