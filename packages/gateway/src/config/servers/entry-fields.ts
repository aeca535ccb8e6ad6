import type { Json, JsonObject } from 'toolwire'
import { isObject } from '../../json/is-object.js'
import { problem } from '../config-error.js'
import { jsonPointer } from '../documents/document.js'

export type EntryFields = ReturnType<typeof entryFields>

/** Reads the members of one server. A member of the wrong type is refused by its place, without its value. */
export function entryFields(value: JsonObject, at: string) {
  const read = new Set<string>()

  function fault(name: string, message: string) {
    const [field = '', ...deeper] = name.split('/')
    return problem(field === '' ? at : [at + jsonPointer(field), ...deeper].join('/'), message)
  }

  /** Reads the first of several names that is present. */
  function first<T>(names: readonly string[], expected: string, readAs: (value: Json, name: string) => T | undefined) {
    for (const name of names) read.add(name)
    const name = names.find((one) => Object.hasOwn(value, one) && value[one] !== null) ?? ''
    const given = Object.hasOwn(value, name) ? value[name] : undefined
    if (given === undefined) return undefined
    const found = readAs(given, name)
    if (found === undefined) throw fault(name, `expected ${expected}`)
    return found
  }

  /** Accepts numbers and booleans as texts, because a shell would pass them as texts. */
  function written(item: Json | undefined, name: string): string {
    if (typeof item === 'string') return item
    if (typeof item === 'number' || typeof item === 'boolean') return String(item)
    throw fault(name, 'expected a string')
  }

  return {
    read: read as ReadonlySet<string>,
    fault,
    text: (...names: string[]) =>
      first(names, 'a string', (value) => (typeof value === 'string' && value !== '' ? value : undefined)),
    flag: (name: string) => first([name], 'true or false', (value) => (typeof value === 'boolean' ? value : undefined)),
    number: (name: string) =>
      first([name], 'a number above 0', (value) => (typeof value === 'number' && value > 0 ? value : undefined)),
    texts: (...names: string[]): readonly string[] | undefined =>
      first(names, 'a list of strings', (value, name) =>
        Array.isArray(value) ? value.map((item, index) => written(item, name + jsonPointer(index))) : undefined,
      ),
    record(...names: string[]): { readonly [name: string]: string } {
      const found = first(names, 'an object with a string under each name', (value, name) => {
        if (!isObject(value)) return undefined
        const entries = Object.entries(value).filter(([, item]) => item !== null && item !== undefined)
        return Object.fromEntries(entries.map(([key, item]) => [key, written(item, name + jsonPointer(key))]))
      })
      return found ?? {}
    },
    /** Names that have not been requested. */
    get unread(): string[] {
      return Object.keys(value).filter((name) => !read.has(name))
    },
  }
}
