import type { ApiKeyRecord, ApiKeyStore } from 'toolwire/auth'
import type { MemoryMirror } from './memory-mirror.js'

export type StoredKeys = ReturnType<typeof storedKeys>

/** API keys. The stored part is enough to recognize a key, and too little to use it. */
export function storedKeys(kept: MemoryMirror<ApiKeyRecord>) {
  const listeners = new Set<() => void>()
  kept.onChange((_, record) => {
    if (!record) for (const listener of listeners) listener()
  })
  return {
    find: kept.get satisfies ApiKeyStore['find'],
    add: (record: ApiKeyRecord) => kept.put(record.id, record),
    list: (): readonly ApiKeyRecord[] => kept.entries().map(([, record]) => record),
    /** Refuses the key from now on. Returns false if there is none with this id. */
    async revoke(id: string): Promise<boolean> {
      if (!kept.get(id)) return false
      const dropped = kept.drop(id)
      // The revocation takes effect at once, whether or not it can be written.
      for (const listener of listeners) listener()
      await dropped
      return true
    },
    /** Calls `listener` when a key has been revoked, until the returned function is called. */
    onRevoke(listener: () => void): () => void {
      listeners.add(listener)
      return () => void listeners.delete(listener)
    },
  }
}
