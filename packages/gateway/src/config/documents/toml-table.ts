import type { Json } from 'toolwire'
import type { TextCursor } from './text-cursor.js'

type Branch = Map<string, Json | Branch | Branch[]>

/** A TOML table under construction; rejects duplicate keys and tables. */
export class TomlTable {
  readonly #root: Branch = new Map()
  readonly #text: Pick<TextCursor, 'fault'>
  /** Tables defined by a [header]. */
  readonly #headed = new Set<Branch>()
  /** Tables created by dotted keys: they get no header, and only dotted keys add to them. */
  readonly #dotted = new Set<Branch>()
  /** Arrays created by [[headers]]. */
  readonly #lists = new Set<Json | Branch | Branch[]>()
  #current = this.#root

  constructor(text: Pick<TextCursor, 'fault'>) {
    this.#text = text
  }

  get value(): { [key: string]: Json } {
    return jsonOf(this.#root)
  }

  set(keys: readonly string[], value: Json): void {
    let branch = this.#current
    for (const key of keys.slice(0, -1)) {
      const isNew = !branch.has(key)
      branch = this.#enter(branch, key)
      if (isNew) this.#dotted.add(branch)
      else if (!this.#dotted.has(branch)) throw this.#twice(key)
    }
    const last = keys.at(-1) ?? ''
    if (branch.has(last)) throw this.#twice(last)
    branch.set(last, value)
  }

  /** Opens the table of a [a.b] header. */
  head(keys: readonly string[]): void {
    const outer = this.#outerOf(keys)
    const last = keys.at(-1) ?? ''
    const branch = this.#enter(outer, last)
    if (this.#headed.has(branch) || this.#dotted.has(branch) || outer.get(last) !== branch) throw this.#twice(keys.join('.'))
    this.#headed.add(branch)
    this.#current = branch
  }

  /** Appends a table for a [[a.b]] header, and returns its index. */
  headOfList(keys: readonly string[]): number {
    const branch = this.#outerOf(keys)
    const last = keys.at(-1) ?? ''
    const list = branch.get(last) ?? []
    if (branch.has(last) && !this.#lists.has(list)) throw this.#twice(last)
    this.#current = new Map()
    const branches = list as Branch[] // lists are created only here
    branches.push(this.#current)
    this.#lists.add(branches)
    branch.set(last, branches)
    return branches.length - 1
  }

  #outerOf(keys: readonly string[]): Branch {
    return keys.slice(0, -1).reduce<Branch>((branch, key) => this.#enter(branch, key), this.#root)
  }

  /** The table of that name, created if missing; for a list, its last table. */
  #enter(branch: Branch, key: string): Branch {
    const next = branch.get(key) ?? new Map()
    const inner = this.#lists.has(next) ? (next as Branch[]).at(-1) : next // lists are created only in headOfList
    if (!(inner instanceof Map)) throw this.#twice(key)
    branch.set(key, next)
    return inner
  }

  #twice(key: string): Error {
    return this.#text.fault(`the key ${JSON.stringify(key)} is given twice; remove one`)
  }
}

const isList = (value: Json | Branch | Branch[]): value is Branch[] =>
  Array.isArray(value) && value.every((item: unknown) => item instanceof Map)

function jsonOf(branch: Branch): { [key: string]: Json } {
  return Object.fromEntries([...branch].map(([key, value]) => [key, plain(value)]))
}

function plain(value: Json | Branch | Branch[]): Json {
  if (value instanceof Map) return jsonOf(value)
  return isList(value) ? value.map(jsonOf) : value
}
