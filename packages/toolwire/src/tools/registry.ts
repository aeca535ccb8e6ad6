import { yieldWhenBusy } from '../bounds/yield-when-busy.js'
import { definitionError } from './checks/definition-error.js'

export type RegistryChange<Ready> = { readonly before: Ready | undefined; readonly after: Ready | undefined }
type Slot<Definition, Ready> = { definition: Definition; ready: Ready; enabled: boolean }

const shown = <Ready>(slot: Slot<unknown, Ready> | undefined): Ready | undefined => (slot?.enabled ? slot.ready : undefined)

/** Named values that may change while they are being served. `prepare` turns a definition into what is served, or throws. */
export class Registry<Definition, Ready> {
  readonly #slots = new Map<string, Slot<Definition, Ready>>()
  readonly #listeners = new Set<(change: RegistryChange<Ready>) => void>()
  readonly #registerListeners = new Set<(ready: Ready) => void>()
  readonly #make: (name: string, definition: Definition) => Ready
  #shown: readonly Ready[] | undefined
  #sealed = false

  constructor(prepare: (name: string, definition: Definition) => Ready, initial: { readonly [name: string]: Definition } = {}) {
    this.#make = prepare
    for (const [name, definition] of Object.entries(initial)) this.add(name, definition)
  }

  /** What is on offer now, in the order it was added. The same array until something changes. */
  get all(): readonly Ready[] {
    this.#shown ??= [...this.#slots.values()].filter((slot) => slot.enabled).map((slot) => slot.ready)
    return this.#shown
  }

  get names(): readonly string[] {
    return [...this.#slots.keys()]
  }

  get(name: string): Ready | undefined {
    return shown(this.#slots.get(name))
  }

  /** Offers one more; the name must be free. */
  add(name: string, definition: Definition): void {
    this.#mayChange()
    if (this.#slots.has(name)) throw definitionError(`There is already a "${name}"; use replace("${name}", …) to change it`)
    const ready = this.#prepare(name, definition)
    this.#slots.set(name, { definition, ready, enabled: true })
    this.#tell({ before: undefined, after: ready })
  }

  /** Changes the definition behind a name. */
  replace(name: string, definition: Definition): void {
    this.#change(name, () => ({ ready: this.#prepare(name, definition), definition }))
  }

  /** Offers exactly these from now on, in this order. What has not changed is not announced. */
  set(definitions: Iterable<readonly [name: string, definition: Definition]>): void {
    this.#mayChange()
    this.#put(new Map([...definitions].map(([name, definition]) => [name, this.#kept(name, definition)])))
  }

  /** The same for many, with pauses in which others get their turn. Until all are ready, what was offered before is; nothing changes if it is not wanted any more. */
  async setInTurns(definitions: Iterable<readonly [name: string, definition: Definition]>, isWanted = () => true): Promise<void> {
    this.#mayChange()
    const rest = yieldWhenBusy()
    const after = new Map<string, Slot<Definition, Ready>>()
    for (const [name, definition] of definitions) {
      after.set(name, this.#kept(name, definition))
      const pause = rest()
      if (!pause) continue
      await pause
      if (!isWanted()) return
    }
    this.#put(after)
  }

  #put(after: ReadonlyMap<string, Slot<Definition, Ready>>): void {
    const before = new Map(this.#slots)
    this.#slots.clear()
    for (const [name, slot] of after) this.#slots.set(name, slot)
    this.#shown = undefined
    for (const [name, slot] of after)
      if (before.get(name) !== slot) this.#tell({ before: shown(before.get(name)), after: slot.ready })
    for (const [name, slot] of before) if (!after.has(name)) this.#tell({ before: shown(slot), after: undefined })
  }

  /** Makes everything ready in another way, out of what it is now: nothing is away in between. */
  renew(again: (ready: Ready) => Ready): void {
    this.#mayChange()
    const changes = [...this.#slots.values()].map((slot) => {
      const before = shown(slot)
      slot.ready = again(slot.ready)
      return { before, after: shown(slot) }
    })
    for (const change of changes) this.#tell(change)
  }

  remove(name: string): void {
    this.#mayChange()
    const before = shown(this.#slot(name))
    this.#slots.delete(name)
    this.#tell({ before, after: undefined })
  }

  /** Offers again what was disabled. */
  enable(name: string): void {
    this.#change(name, () => ({ enabled: true }))
  }

  /** Takes it off the list and refuses calls, but keeps it. */
  disable(name: string): void {
    this.#change(name, () => ({ enabled: false }))
  }

  /** Tells those who see any of these, or of all of them, to list again: they may be shown others than before. */
  announce(names: readonly string[] = this.names): void {
    this.#mayChange()
    for (const name of names) this.#tell({ before: undefined, after: this.get(name) })
  }

  /** Calls back with each that is made ready from now on, before it is offered. */
  onRegister(listener: (ready: Ready) => void): () => void {
    this.#registerListeners.add(listener)
    return () => void this.#registerListeners.delete(listener)
  }

  onChange(listener: (change: RegistryChange<Ready>) => void): () => void {
    this.#listeners.add(listener)
    return () => void this.#listeners.delete(listener)
  }

  /** From now on nothing changes any more, so nothing needs to be announced. */
  seal(): void {
    this.#sealed = true
  }

  #change(name: string, made: () => Partial<Slot<Definition, Ready>>): void {
    this.#mayChange()
    const slot = this.#slot(name)
    const before = shown(slot)
    const change = made()
    if (change.enabled === slot.enabled) return
    Object.assign(slot, change)
    this.#tell({ before, after: shown(slot) })
  }

  #prepare(name: string, definition: Definition): Ready {
    const ready = this.#make(name, definition)
    for (const listener of this.#registerListeners) listener(ready)
    return ready
  }

  /** As it is, if it is offered already under that name. */
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
