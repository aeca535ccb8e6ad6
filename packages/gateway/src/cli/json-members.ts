import type { Json, JsonObject } from 'toolwire'
import { isObject } from '../json/is-object.js'

const itemsIn = (list: Json | undefined): readonly Json[] => (Array.isArray(list) ? list : [])

/** The objects in the list of that name; empty if there is no such list. */
export const listIn = (body: JsonObject, name: string): JsonObject[] => itemsIn(body[name]).filter(isObject)
export const textsIn = (body: JsonObject, name: string): string[] => itemsIn(body[name]).map(String)

const textOf = (value: Json | undefined): string | undefined => (typeof value === 'string' ? value : undefined)
const numberOf = (value: Json | undefined): number | undefined => (typeof value === 'number' ? value : undefined)

export const stringIn = (object: JsonObject, name: string): string | undefined => textOf(object[name])
export const numberIn = (object: JsonObject, name: string): number | undefined => numberOf(object[name])
export const objectIn = (object: JsonObject, name: string): JsonObject => [object[name]].find(isObject) ?? {}
