import type { Json, JsonObject } from 'toolwire'
import { isObject } from '../json/is-object.js'

/** The value of a text, if it is JSON. */
export function jsonIn(text: string): Json | undefined {
  try {
    // What JSON.parse gives is JSON.
    return JSON.parse(text) as Json
  } catch {
    return undefined // the caller says what is wrong
  }
}

const itemsIn = (list: Json | undefined): readonly Json[] => (Array.isArray(list) ? list : [])

/** The objects of a list, under the name it should have. */
export const listIn = (body: JsonObject, name: string): JsonObject[] => itemsIn(body[name]).filter(isObject)
export const textsIn = (body: JsonObject, name: string): string[] => itemsIn(body[name]).map(String)

const textOf = (value: Json | undefined): string | undefined => (typeof value === 'string' ? value : undefined)
const numberOf = (value: Json | undefined): number | undefined => (typeof value === 'number' ? value : undefined)

export const stringIn = (object: JsonObject, name: string): string | undefined => textOf(object[name])
export const numberIn = (object: JsonObject, name: string): number | undefined => numberOf(object[name])
export const objectIn = (object: JsonObject, name: string): JsonObject => [object[name]].find(isObject) ?? {}

/** A member of its own, not one that every object has. */
export const ownMember = (object: JsonObject, name: string): Json | undefined =>
  Object.hasOwn(object, name) ? object[name] : undefined
