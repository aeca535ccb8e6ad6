import type { Json, JsonObject } from 'toolwire'

/** An own member, never an inherited one. */
export const ownMember = (object: JsonObject, name: string): Json | undefined =>
  Object.hasOwn(object, name) ? object[name] : undefined
