import { setTimeout as pause } from 'node:timers/promises'
import { yieldWhenBusy } from 'toolwire/relay'
import type { StoreClient } from '../store-client.js'
import { StoreFailure } from '../store-failure.js'

/** A few values that every call asks for: stored in the database, and all of them kept in memory. */
export interface MemoryMirror<T> {
  get(key: string): T | undefined
  entries(): readonly (readonly [key: string, value: T])[]
  /** Takes effect when the value is safely stored. */
  put(key: string, value: T): Promise<void>
  /** Like `put`; all values are stored, or none. */
  putAll(entries: readonly (readonly [key: string, value: T])[]): Promise<void>
  /** Takes effect at once. If the change cannot be written, the value holds again, unless its key is unique: it stays revoked. */
  drop(key: string): Promise<void>
  /** Calls `listener` with values that another gateway has stored or dropped, until the returned function is called. */
  onChange(listener: (key: string, value: T | undefined) => void): () => void
  /** Reads what other gateways have changed until now. */
  refresh(): Promise<void>
}

const dropAgainMs = 1_000

type MirrorOptions = {
  /** Keys are never used again: a dropped value cannot return, and a failed drop can be repeated later without losing a newer value. */
  readonly keysAreUnique?: boolean
}

export async function memoryMirror<T>(
  room: string,
  client: StoreClient,
  { keysAreUnique = false }: MirrorOptions = {},
): Promise<MemoryMirror<T>> {
  // `put` has written these values.
  const kept = new Map((await client.run('all', room)).map(([key, value]) => [key, JSON.parse(value) as T]))
  /** Pending drops of each key, and the value that holds after them. A unique key has none. */
  const dropping = new Map<string, { count: number; next: T | undefined }>()
  /** Values of `putAll` that are not sent yet. */
  const gathering = new Set<Map<string, T>>()
  const listeners = new Set<(key: string, value: T | undefined) => void>()
  const { changes } = client

  // The database also reports the changes made here, in the order in which they take effect.
  changes?.onKept(room, (key, text) => take(key, text === undefined ? undefined : (JSON.parse(text) as T)))

  function take(key: string, value: T | undefined): void {
    const pending = dropping.get(key)
    if (!pending) hold(key, value)
    else if (!keysAreUnique) pending.next = value
  }

  function hold(key: string, value: T | undefined): void {
    if (value !== undefined) kept.set(key, value)
    else if (!kept.delete(key)) return
    if (changes) for (const listener of listeners) listener(key, value)
  }

  function endDrop(key: string): void {
    const pending = dropping.get(key)
    if (!pending || --pending.count > 0) return
    dropping.delete(key)
    if (pending.next !== undefined) hold(key, pending.next)
  }

  /** Retries until the drop is written, because otherwise a restart or another gateway would find the value. */
  async function dropLater(key: string): Promise<void> {
    for (let isOver = false; !isOver; ) {
      await pause(dropAgainMs, undefined, { ref: false })
      isOver = await client.write('drop', room, key).then(
        () => true,
        (thrown: unknown) => !isTransientFailure(thrown),
      )
    }
    endDrop(key)
  }

  /** A later change of a key takes the place of a value that is not sent yet, which would otherwise follow it. */
  function overtake(key: string): void {
    for (const values of gathering) values.delete(key)
  }

  async function putAll(entries: readonly (readonly [key: string, value: T])[]): Promise<void> {
    const values = new Map(entries)
    const texts: [key: string, text: string][] = []
    const rest = yieldWhenBusy()
    for (const key of values.keys()) overtake(key)
    gathering.add(values)
    for (const [key, value] of values) {
      texts.push([key, JSON.stringify(value)])
      const pause = texts.length < values.size ? rest() : undefined
      if (pause) await pause
    }
    gathering.delete(values)
    await client.write(
      'keep',
      room,
      texts.filter(([key]) => values.has(key)),
      keysAreUnique,
    )
    // One process alone is answered in the order of its changes.
    if (!changes) for (const [key, value] of values) take(key, value)
  }

  return {
    get: (key) => kept.get(key),
    entries: () => [...kept],
    put: (key, value) => putAll([[key, value]]),
    putAll,
    async drop(key) {
      overtake(key)
      const pending = dropping.get(key) ?? { count: 0, next: keysAreUnique ? undefined : kept.get(key) }
      pending.count++
      dropping.set(key, pending)
      kept.delete(key)
      let isLater = false
      try {
        await client.write('drop', room, key)
        if (!changes) take(key, undefined)
      } catch (thrown) {
        isLater = keysAreUnique && isTransientFailure(thrown)
        if (isLater) void dropLater(key)
        throw thrown
      } finally {
        if (!isLater) endDrop(key)
      }
    },
    onChange(listener) {
      listeners.add(listener)
      return () => void listeners.delete(listener)
    },
    refresh: async () => changes?.look(),
  }
}

const isTransientFailure = (thrown: unknown): boolean => thrown instanceof StoreFailure && thrown.isTransient
