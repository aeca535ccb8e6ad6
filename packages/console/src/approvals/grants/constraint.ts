// A standing approval covers calls of the same tool by the same caller whose arguments match a schema. This module derives the schema from
// one call.
import type { JsonObject } from '../../api/types.js'

/** The arguments that must have the same values in later calls. If closed, no other arguments are allowed. */
export type ConstraintChoice = { readonly equal: ReadonlySet<string>; readonly isClosed: boolean }

export type GrantRequest = { readonly choice: ConstraintChoice; readonly forMs: number }

/** A key that differs between different wishes. */
export const grantRequestKey = ({ choice: { equal, isClosed }, forMs }: GrantRequest): string =>
  JSON.stringify([forMs, isClosed, [...equal].sort()])

/** The narrowest choice: exactly this call. */
export const narrowest = (args: JsonObject): ConstraintChoice => ({ equal: new Set(Object.keys(args)), isClosed: true })

export function withEqual({ equal, isClosed }: ConstraintChoice, name: string, isEqual: boolean): ConstraintChoice {
  const others = [...equal].filter((one) => one !== name)
  return { equal: new Set(isEqual ? [...others, name] : others), isClosed }
}

/** A JSON Schema that this call matches, and that later calls must match. */
export function constraintOf(args: JsonObject, { equal, isClosed }: ConstraintChoice): JsonObject {
  const names = Object.keys(args)
  const bound = names.filter((name) => equal.has(name))
  // A closed schema must name the arguments that may have any value.
  const free = isClosed ? names.filter((name) => !equal.has(name)) : []
  // Built from entries, because an argument may be called __proto__.
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

/** Does the choice accept any arguments? */
export const isUnconstrained = ({ equal, isClosed }: ConstraintChoice): boolean => equal.size === 0 && !isClosed

/** Maximum duration of a standing approval; the gateway shortens longer ones. */
export const maxGrantMs = 28_800_000

export const grantDurations = [
  [900_000, '15 minutes'],
  [3_600_000, '1 hour'],
  [14_400_000, '4 hours'],
  [maxGrantMs, '8 hours'],
] as const satisfies readonly (readonly [ms: number, name: string])[]

export const defaultGrantMs = 3_600_000

export const durationName = (ms: number): string =>
  grantDurations.find(([span]) => span === ms)?.[1] ?? `${Math.max(1, Math.round(ms / 60_000))} minutes`
