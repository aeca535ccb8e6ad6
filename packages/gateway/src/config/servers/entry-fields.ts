import type { Json, JsonObject } from 'toolwire'
import { isObject } from '../../json/is-object.js'
import { problem } from '../config-error.js'
import { jsonPointer } from '../documents/document.js'

/** Reads the members of one server; what has the wrong type is refused with its place, and never repeated. */
export class EntryFields {
  readonly #value: JsonObject
  readonly #at: string
  readonly #read = new Set<string>()

  constructor(value: JsonObject, at: string) {
    this.#value = value
    this.#at = at
  }

  text(...names: string[]): string | undefined {
    return this.#first(names, 'a text', (value) => (typeof value === 'string' && value !== '' ? value : undefined))
  }

  flag(name: string): boolean | undefined {
    return this.#first([name], 'true or false', (value) => (typeof value === 'boolean' ? value : undefined))
  }

  number(name: string): number | undefined {
    return this.#first([name], 'a number above 0', (value) => (typeof value === 'number' && value > 0 ? value : undefined))
  }

  texts(...names: string[]): readonly string[] | undefined {
    return this.#first(names, 'a list of texts', (value, name) =>
      Array.isArray(value) ? value.map((item, index) => this.#written(item, name + jsonPointer(index))) : undefined,
    )
  }

  record(...names: string[]): { readonly [name: string]: string } {
    const found = this.#first(names, 'an object with a text under each name', (value, name) => {
      if (!isObject(value)) return undefined
      const entries = Object.entries(value).filter(([, item]) => item !== null && item !== undefined)
      return Object.fromEntries(entries.map(([key, item]) => [key, this.#written(item, name + jsonPointer(key))]))
    })
    return found ?? {}
  }

  /** What nobody has asked for. */
  get unread(): string[] {
    return Object.keys(this.#value).filter((name) => !this.#read.has(name))
  }

  /** What somebody has asked for. */
  get read(): ReadonlySet<string> {
    return this.#read
  }

  fault(name: string, message: string) {
    const [field = '', ...deeper] = name.split('/')
    return problem(field === '' ? this.#at : [this.#at + jsonPointer(field), ...deeper].join('/'), message)
  }

  /** Reads the first of several names that is there. */
  #first<T>(names: readonly string[], expected: string, readAs: (value: Json, name: string) => T | undefined): T | undefined {
    for (const name of names) this.#read.add(name)
    const name = names.find((one) => Object.hasOwn(this.#value, one) && this.#value[one] !== null) ?? ''
    const value = Object.hasOwn(this.#value, name) ? this.#value[name] : undefined
    if (value === undefined) return undefined
    const found = readAs(value, name)
    if (found === undefined) throw this.fault(name, `expected ${expected}`)
    return found
  }

  /** Numbers and booleans are taken as they are written, as shells have nothing but texts. */
  #written(item: Json | undefined, name: string): string {
    if (typeof item === 'string') return item
    if (typeof item === 'number' || typeof item === 'boolean') return String(item)
    throw this.fault(name, 'expected a text')
  }
}
