import { yieldWhenBusy } from '../bounds/yield-when-busy.js'
import { definitionError } from './checks/definition-error.js'

export type RegistryChange<Ready> = { readonly before: Ready | undefined; readonly after: Ready | undefined }
type Slot<Definition, Ready> = { definition: Definition; ready: Ready; enabled: boolean }

const enabledEntry = <Ready>(slot: Slot<unknown, Ready> | undefined): Ready | undefined =>
  slot?.enabled ? slot.ready : undefined

/** Named values that may change while they are served. `prepare` turns a definition into its served form, or throws. */
export class Registry<Definition, Ready> {
  readonly #slots = new Map<string, Slot<Definition, Ready>>()
  readonly #listeners = new Set<(change: RegistryChange<Ready>) => void>()
  readonly #registerListeners = new Set<(ready: Ready) => void>()
  readonly #make: (name: string, definition: Definition) => Ready
  /** Slots that `setInTurns` is preparing. */
  readonly #coming = new Set<ReadonlyMap<string, Slot<Definition, Ready>>>()
  #shown: readonly Ready[] | undefined
  #sealed = false

  constructor(prepare: (name: string, definition: Definition) => Ready, initial: { readonly [name: string]: Definition } = {}) {
    this.#make = prepare
    for (const [name, definition] of Object.entries(initial)) this.add(name, definition)
  }

  /** The enabled values, in the order they were added. The same array until something changes. */
  get all(): readonly Ready[] {
    this.#shown ??= [...this.#slots.values()].filter((slot) => slot.enabled).map((slot) => slot.ready)
    return this.#shown
  }

  get names(): readonly string[] {
    return [...this.#slots.keys()]
  }

  get(name: string): Ready | undefined {
    return enabledEntry(this.#slots.get(name))
  }

  /** Adds a value; the name must be free. */
  add(name: string, definition: Definition): void {
    this.#mayChange()
    if (this.#slots.has(name)) throw definitionError(`There is already a "${name}"; use replace("${name}", …) to change it`)
    const ready = this.#prepare(name, definition)
    this.#slots.set(name, { definition, ready, enabled: true })
    this.#tell({ before: undefined, after: ready })
  }

  replace(name: string, definition: Definition): void {
    this.#change(name, () => ({ ready: this.#prepare(name, definition), definition }))
  }

  /** Replaces everything with these definitions, in this order. Unchanged ones are not announced. */
  set(definitions: Iterable<readonly [name: string, definition: Definition]>): void {
    this.#mayChange()
    this.#put(new Map([...definitions].map(([name, definition]) => [name, this.#kept(name, definition)])))
  }

  /**
   * Like `set`, for many definitions: yields to other work, and swaps them in when all are ready. Changes nothing if `isWanted` turns
   * false.
   */
  async setInTurns(definitions: Iterable<readonly [name: string, definition: Definition]>, isWanted = () => true): Promise<void> {
    this.#mayChange()
    const rest = yieldWhenBusy()
    const after = new Map<string, Slot<Definition, Ready>>()
    this.#coming.add(after)
    try {
      for (const [name, definition] of definitions) {
        after.set(name, this.#kept(name, definition))
        const pause = rest()
        if (!pause) continue
        await pause
        if (!isWanted()) return
      }
    } finally {
      this.#coming.delete(after)
    }
    this.#put(after)
  }

  #put(after: ReadonlyMap<string, Slot<Definition, Ready>>): void {
    const before = new Map(this.#slots)
    this.#slots.clear()
    for (const [name, slot] of after) this.#slots.set(name, slot)
    this.#shown = undefined
    for (const [name, slot] of after)
      if (before.get(name) !== slot) this.#tell({ before: enabledEntry(before.get(name)), after: slot.ready })
    for (const [name, slot] of before) if (!after.has(name)) this.#tell({ before: enabledEntry(slot), after: undefined })
  }

  /** Replaces every prepared value by a new one made from it, without removing any in between. */
  renew(again: (ready: Ready) => Ready): void {
    this.#mayChange()
    const served = new Set(this.#slots.values())
    const coming = new Set([...this.#coming].flatMap((slots) => [...slots.values()]))
    const changes = [...served].map((slot) => {
      const before = enabledEntry(slot)
      slot.ready = again(slot.ready)
      return { before, after: enabledEntry(slot) }
    })
    for (const slot of coming) if (!served.has(slot)) slot.ready = again(slot.ready)
    for (const change of changes) this.#tell(change)
  }

  remove(name: string): void {
    this.#mayChange()
    const before = enabledEntry(this.#slot(name))
    this.#slots.delete(name)
    this.#tell({ before, after: undefined })
  }

  enable(name: string): void {
    this.#change(name, () => ({ enabled: true }))
  }

  /** Hides a value from lists and calls, but keeps its definition. */
  disable(name: string): void {
    this.#change(name, () => ({ enabled: false }))
  }

  /** Announces a change of these values, or of all, so that clients that see any of them list again. */
  announce(names: readonly string[] = this.names): void {
    this.#mayChange()
    for (const name of names) this.#tell({ before: undefined, after: this.get(name) })
  }

  /** Calls back with each value that is prepared from now on, before it is listed. */
  onRegister(listener: (ready: Ready) => void): () => void {
    this.#registerListeners.add(listener)
    return () => void this.#registerListeners.delete(listener)
  }

  onChange(listener: (change: RegistryChange<Ready>) => void): () => void {
    this.#listeners.add(listener)
    return () => void this.#listeners.delete(listener)
  }

  /** Forbids changes from now on, so that no change needs to be announced. */
  seal(): void {
    this.#sealed = true
  }

  #change(name: string, made: () => Partial<Slot<Definition, Ready>>): void {
    this.#mayChange()
    const slot = this.#slot(name)
    const before = enabledEntry(slot)
    const change = made()
    if (change.enabled === slot.enabled) return
    Object.assign(slot, change)
    this.#tell({ before, after: enabledEntry(slot) })
  }

  #prepare(name: string, definition: Definition): Ready {
    const ready = this.#make(name, definition)
    for (const listener of this.#registerListeners) listener(ready)
    return ready
  }

  /** Returns the existing slot if it is enabled and its definition is the same. */
  #kept(name: string, definition: Definition): Slot<Definition, Ready> {
    const slot = this.#slots.get(name)
    if (slot?.enabled && slot.definition === definition) return slot
    return { definition, ready: this.#prepare(name, definition), enabled: true }
  }

  #slot(name: string): Slot<Definition, Ready> {
    const slot = this.#slots.get(name)
    if (!slot) throw definitionError(`There is no "${name}" here; there are: ${this.names.slice(0, 10).join(', ') || 'none'}`)
    return slot
  }

  #mayChange(): void {
    if (this.#sealed)
      throw definitionError('This server was made with `fixed: true`, so its tools, resources and prompts cannot change')
  }

  #tell(change: RegistryChange<Ready>): void {
    this.#shown = undefined
    if (change.before || change.after) for (const listener of this.#listeners) listener(change)
  }
}
