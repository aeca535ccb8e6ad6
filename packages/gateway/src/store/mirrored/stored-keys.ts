import type { ApiKeyRecord, ApiKeyStore } from 'toolwire/auth'
import type { MemoryMirror } from './memory-mirror.js'

/** API keys: what is kept is enough to know them again, too little to use them. */
export type StoredKeys = ApiKeyStore & {
  add(record: ApiKeyRecord): Promise<void>
  list(): readonly ApiKeyRecord[]
  /** It is refused from now on. False when there is none with this id. */
  revoke(id: string): Promise<boolean>
  /** Calls back when one has been revoked, until the returned function is called. */
  onRevoke(listener: () => void): () => void
}

export function storedKeys(kept: MemoryMirror<ApiKeyRecord>): StoredKeys {
  const listeners = new Set<() => void>()
  return {
    find: (id) => kept.get(id),
    add: (record) => kept.put(record.id, record),
    list: () => kept.entries().map(([, record]) => record),
    async revoke(id) {
      if (!kept.get(id)) return false
      const dropped = kept.drop(id)
      // It counts at once, whether or not it can be written.
      for (const listener of listeners) listener()
      await dropped
      return true
    },
    onRevoke(listener) {
      listeners.add(listener)
      return () => void listeners.delete(listener)
    },
  }
}
