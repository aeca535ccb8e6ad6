import { isObject, type Json } from '../json.js'

/** Bytes that even an empty object or array takes; its text has two characters. */
const containerBytes = 64

/** Estimates the memory that a value takes: the length of its JSON text, or the space of its objects and arrays if that is more. */
export const memoryEstimate = (value: Json): number =>
  Math.max(JSON.stringify(value).length, containerBytes * containersIn(value))

/** Counts objects and arrays. The recursion is safe, because measureText has limited the depth. */
function containersIn(value: Json | undefined): number {
  let count = 1
  if (Array.isArray(value)) for (const item of value) count += containersIn(item)
  else if (isObject(value)) for (const name of Object.keys(value)) count += containersIn(value[name])
  else return 0
  return count
}
