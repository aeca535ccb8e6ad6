import type { Json } from 'toolwire'

type Branch = Map<string, Json | Branch | Branch[]>

/** A table of TOML while it grows: what was said once is not said again. */
export class TomlTable {
  readonly #root: Branch = new Map()
  readonly #fault: (message: string) => Error
  /** Tables that have had their [header]. */
  readonly #headed = new Set<Branch>()
  #current = this.#root

  constructor(fault: (message: string) => Error) {
    this.#fault = fault
  }

  get value(): { [key: string]: Json } {
    return jsonOf(this.#root)
  }

  set(keys: readonly string[], value: Json): void {
    const branch = this.#descend(this.#current, keys.slice(0, -1))
    const last = keys.at(-1) ?? ''
    if (branch.has(last)) throw this.#twice(last)
    branch.set(last, value)
  }

  /** [a.b] */
  head(keys: readonly string[]): void {
    const branch = this.#descend(this.#root, keys)
    if (this.#headed.has(branch)) throw this.#twice(keys.join('.'))
    this.#headed.add(branch)
    this.#current = branch
  }

  /** [[a.b]] */
  headOfList(keys: readonly string[]): number {
    const branch = this.#descend(this.#root, keys.slice(0, -1))
    const last = keys.at(-1) ?? ''
    const list = branch.get(last) ?? []
    if (!isList(list)) throw this.#twice(last)
    this.#current = new Map()
    list.push(this.#current)
    branch.set(last, list)
    return list.length - 1
  }

  #descend(from: Branch, keys: readonly string[]): Branch {
    let branch = from
    for (const key of keys) {
      const next: Branch[string & keyof Branch] | Json | Branch | Branch[] = branch.get(key) ?? new Map()
      const inner = isList(next) ? next.at(-1) : next
      if (!(inner instanceof Map)) throw this.#twice(key)
      branch.set(key, next)
      branch = inner
    }
    return branch
  }

  #twice(key: string): Error {
    return this.#fault(`the key ${JSON.stringify(key)} stands here a second time; take one out`)
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
