import type { ApiKeyRecord, ApiKeyStore } from 'toolwire/auth'
import type { MemoryMirror } from './memory-mirror.js'

export type StoredKeys = ReturnType<typeof storedKeys>

/** API keys: what is kept is enough to know them again, too little to use them. */
export function storedKeys(kept: MemoryMirror<ApiKeyRecord>) {
  const listeners = new Set<() => void>()
  kept.onChange((_, record) => {
    if (!record) for (const listener of listeners) listener()
  })
  return {
    find: kept.get satisfies ApiKeyStore['find'],
    add: (record: ApiKeyRecord) => kept.put(record.id, record),
    list: (): readonly ApiKeyRecord[] => kept.entries().map(([, record]) => record),
    /** It is refused from now on. False when there is none with this id. */
    async revoke(id: string): Promise<boolean> {
      if (!kept.get(id)) return false
      const dropped = kept.drop(id)
      // It counts at once, whether or not it can be written.
      for (const listener of listeners) listener()
      await dropped
      return true
    },
    /** Calls back when one has been revoked, until the returned function is called. */
    onRevoke(listener: () => void): () => void {
      listeners.add(listener)
      return () => void listeners.delete(listener)
    },
  }
}
