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
  /** Takes effect at once: a revoked value no longer holds, even if the change cannot be written. */
  drop(key: string): Promise<void>
  /** Calls `listener` with values that another gateway has stored or dropped. */
  onChange(listener: (key: string, value: T | undefined) => void): void
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
  /** The latest pending change of each key, so that a change that was overtaken does not come back. */
  const latest = new Map<string, symbol>()
  /** Number of pending drops of each key. */
  const dropping = new Map<string, number>()
  const listeners = new Set<(key: string, value: T | undefined) => void>()
  const { changes } = client

  // The database also reports the changes made here, in the order in which they take effect.
  changes?.onKept(room, (key, text) => {
    if (text === undefined ? !kept.has(key) : dropping.has(key)) return
    const value = text === undefined ? undefined : (JSON.parse(text) as T)
    if (value === undefined) kept.delete(key)
    else kept.set(key, value)
    for (const listener of listeners) listener(key, value)
  })

  function countDropping(key: string, more: 1 | -1): void {
    const count = (dropping.get(key) ?? 0) + more
    if (count === 0) dropping.delete(key)
    else dropping.set(key, count)
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
    countDropping(key, -1)
  }

  /** Returns the keys whose change was not overtaken. */
  async function change(keys: readonly string[], write: () => Promise<void>): Promise<readonly string[]> {
    const mine = Symbol(room)
    const isLatest = (key: string) => latest.get(key) === mine
    for (const key of keys) latest.set(key, mine)
    try {
      await write()
      return keys.filter(isLatest)
    } finally {
      for (const key of keys) if (isLatest(key)) latest.delete(key)
    }
  }

  async function putAll(entries: readonly (readonly [key: string, value: T])[]): Promise<void> {
    const values = new Map(entries)
    const texts: [key: string, text: string][] = []
    const rest = yieldWhenBusy()
    for (const [key, value] of values) {
      const pause = rest()
      if (pause) await pause
      texts.push([key, JSON.stringify(value)])
    }
    const changed = await change([...values.keys()], () => client.write('keep', room, texts, keysAreUnique))
    // The other changes come from the database.
    if (!changes) for (const key of changed) kept.set(key, values.get(key) as T)
  }

  return {
    get: (key) => kept.get(key),
    entries: () => [...kept],
    put: (key, value) => putAll([[key, value]]),
    putAll,
    async drop(key) {
      kept.delete(key)
      countDropping(key, 1)
      let isLater = false
      try {
        await change([key], () => client.write('drop', room, key))
      } catch (thrown) {
        isLater = keysAreUnique && isTransientFailure(thrown)
        if (isLater) void dropLater(key)
        throw thrown
      } finally {
        if (!isLater) countDropping(key, -1)
      }
    },
    onChange: (listener) => void listeners.add(listener),
  }
}

const isTransientFailure = (thrown: unknown): boolean => thrown instanceof StoreFailure && thrown.isTransient
