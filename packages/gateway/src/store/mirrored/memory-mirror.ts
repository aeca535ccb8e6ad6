import type { ThreadClient } from '../thread-client.js'

/** A few things that every call asks about: kept in the database, and all of them in memory. */
export interface MemoryMirror<T> {
  get(key: string): T | undefined
  entries(): readonly (readonly [key: string, value: T])[]
  /** It counts when it is safe. */
  put(key: string, value: T): Promise<void>
  /** It counts at once: what was taken back holds no longer, even if that cannot be written. */
  drop(key: string): Promise<void>
}

export async function memoryMirror<T>(room: string, thread: ThreadClient): Promise<MemoryMirror<T>> {
  // What `put` has written.
  const kept = new Map((await thread.run('all', room)).map(([key, value]) => [key, JSON.parse(value) as T]))
  /** The latest change of each key that is under way: what was overtaken meanwhile must not come back. */
  const latest = new Map<string, symbol>()

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
      const isLatest = await change(key, () => thread.write('keep', room, key, JSON.stringify(value)))
      if (isLatest) kept.set(key, value)
    },
    async drop(key) {
      kept.delete(key)
      await change(key, () => thread.write('drop', room, key))
    },
  }
}
