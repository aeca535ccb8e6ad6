import type { Json, JsonObject } from 'toolwire'
import { isObject } from '../json/is-object.js'

/** The objects of a list, under the name it should have. */
export function listIn(body: JsonObject, name: string): JsonObject[] {
  const list = body[name]
  return Array.isArray(list) ? list.filter(isObject) : []
}

export const stringIn = (object: JsonObject, name: string): string | undefined => {
  const value = object[name]
  return typeof value === 'string' ? value : undefined
}

export const numberIn = (object: JsonObject, name: string): number | undefined => {
  const value = object[name]
  return typeof value === 'number' ? value : undefined
}

export const objectIn = (object: JsonObject, name: string): JsonObject => {
  const value = object[name]
  return isObject(value) ? value : {}
}

/** A member of its own, not one that every object has. */
export const ownMember = (object: JsonObject, name: string): Json | undefined =>
  Object.hasOwn(object, name) ? object[name] : undefined
