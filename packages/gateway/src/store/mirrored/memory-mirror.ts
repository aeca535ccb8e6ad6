import { setTimeout as pause } from 'node:timers/promises'
import type { StoreClient } from '../store-client.js'
import { StoreFailure } from '../store-failure.js'

/** A few things that every call asks about: kept in the database, and all of them in memory. */
export interface MemoryMirror<T> {
  get(key: string): T | undefined
  entries(): readonly (readonly [key: string, value: T])[]
  /** It counts when it is safe. */
  put(key: string, value: T): Promise<void>
  /** It counts at once: what was taken back holds no longer, even if that cannot be written. */
  drop(key: string): Promise<void>
  /** Calls back with what another gateway has put there, or has dropped. */
  onChange(listener: (key: string, value: T | undefined) => void): void
}

const dropAgainMs = 1_000

type MirrorOptions = {
  /** No key is ever used again. So what could not be dropped is dropped later, and nothing newer is lost. */
  readonly keysAreUnique?: boolean
}

export async function memoryMirror<T>(
  room: string,
  client: StoreClient,
  { keysAreUnique = false }: MirrorOptions = {},
): Promise<MemoryMirror<T>> {
  // What `put` has written.
  const kept = new Map((await client.run('all', room)).map(([key, value]) => [key, JSON.parse(value) as T]))
  /** The latest change of each key that is under way: what was overtaken meanwhile must not come back. */
  const latest = new Map<string, symbol>()
  /** How many times each key is being dropped now. */
  const dropping = new Map<string, number>()
  const listeners = new Set<(key: string, value: T | undefined) => void>()
  const { changes } = client

  // The database tells of changes that are made here, too, in the order in which they count.
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

  /** Until it is written: a restart, or another gateway, would find it otherwise. */
  async function dropLater(key: string): Promise<void> {
    for (let isOver = false; !isOver; ) {
      await pause(dropAgainMs, undefined, { ref: false })
      isOver = await client.write('drop', room, key).then(
        () => true,
        (thrown: unknown) => !mayPass(thrown),
      )
    }
    countDropping(key, -1)
  }

  async function change(key: string, write: () => Promise<void>): Promise<boolean> {
    const mine = Symbol(key)
    latest.set(key, mine)
    try {
      await write()
      return latest.get(key) === mine
    } finally {
      if (latest.get(key) === mine) latest.delete(key)
    }
  }

  return {
    get: (key) => kept.get(key),
    entries: () => [...kept],
    async put(key, value) {
      const isLatest = await change(key, () => client.write('keep', room, key, JSON.stringify(value)))
      if (isLatest && !changes) kept.set(key, value)
    },
    async drop(key) {
      kept.delete(key)
      countDropping(key, 1)
      let isLater = false
      try {
        await change(key, () => client.write('drop', room, key))
      } catch (thrown) {
        isLater = keysAreUnique && mayPass(thrown)
        if (isLater) void dropLater(key)
        throw thrown
      } finally {
        if (!isLater) countDropping(key, -1)
      }
    },
    onChange: (listener) => void listeners.add(listener),
  }
}

const mayPass = (thrown: unknown): boolean => thrown instanceof StoreFailure && thrown.isTransient
