// Arguments with a value fixed by the operator: callers neither see nor choose them.

import { type JsonObject, Refusal } from 'toolwire'
import { isObject } from '../../json/is-object.js'

export function withoutFixedArguments(schema: JsonObject, pinned: JsonObject): JsonObject {
  const names = new Set(Object.keys(pinned))
  if (names.size === 0) return schema
  const { properties, required, ...rest } = schema
  const left = Array.isArray(required) ? required.filter((name) => typeof name !== 'string' || !names.has(name)) : []
  return {
    ...rest,
    ...(isObject(properties) && {
      properties: Object.fromEntries(Object.entries(properties).filter(([name]) => !names.has(name))),
    }),
    ...(left.length > 0 && { required: left }),
  }
}

/** The arguments for the upstream; refuses a fixed argument from the caller. */
export function withFixedArguments(args: JsonObject, pinned: JsonObject): JsonObject {
  for (const name of Object.keys(pinned)) {
    if (Object.hasOwn(args, name))
      throw new Refusal('invalid-arguments', `The argument "${name}" is set by the operator; leave it out`)
  }
  return { ...args, ...pinned }
}
