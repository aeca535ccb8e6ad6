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

  /** The first of several names that is there. */
  text(...names: string[]): string | undefined {
    const { name, value } = this.#first(names)
    if (value === undefined) return undefined
    if (typeof value !== 'string' || value === '') throw this.fault(name, 'expected a text')
    return value
  }

  flag(name: string): boolean | undefined {
    const { value } = this.#first([name])
    if (value === undefined || typeof value === 'boolean') return value
    throw this.fault(name, 'expected true or false')
  }

  number(...names: string[]): number | undefined {
    const { name, value } = this.#first(names)
    if (value === undefined) return undefined
    if (typeof value !== 'number' || !(value > 0)) throw this.fault(name, 'expected a number above 0')
    return value
  }

  texts(...names: string[]): readonly string[] | undefined {
    const { name, value } = this.#first(names)
    if (value === undefined) return undefined
    if (!Array.isArray(value)) throw this.fault(name, 'expected a list of texts')
    return value.map((item, index) => this.#written(item, name + jsonPointer(index)))
  }

  /** Numbers and booleans are taken as they are written, as shells have nothing but texts. */
  record(...names: string[]): { readonly [name: string]: string } {
    const { name, value } = this.#first(names)
    if (value === undefined) return {}
    if (!isObject(value)) throw this.fault(name, 'expected an object with a text under each name')
    const entries = Object.entries(value).filter(([, item]) => item !== null && item !== undefined)
    return Object.fromEntries(entries.map(([key, item]) => [key, this.#written(item, name + jsonPointer(key))]))
  }

  raw(name: string): Json | undefined {
    return this.#first([name]).value
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

  #first(names: readonly string[]): { readonly name: string; readonly value: Json | undefined } {
    for (const name of names) this.#read.add(name)
    const name = names.find((one) => Object.hasOwn(this.#value, one) && this.#value[one] !== null) ?? names[0] ?? ''
    const value = Object.hasOwn(this.#value, name) ? this.#value[name] : undefined
    return { name, value: value === null ? undefined : value }
  }

  #written(item: Json | undefined, name: string): string {
    if (typeof item === 'string') return item
    if (typeof item === 'number' || typeof item === 'boolean') return String(item)
    throw this.fault(name, 'expected a text')
  }
}
