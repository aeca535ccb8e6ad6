import type { ApiKeyRecord, ApiKeyStore } from 'toolwire/auth'
import type { Mirror } from './mirror.js'

/** API keys: what is kept is enough to know them again, too little to use them. */
export type StoredKeys = ApiKeyStore & {
  add(record: ApiKeyRecord): Promise<void>
  list(): readonly ApiKeyRecord[]
  /** It is refused from now on. False when there is none with this id. */
  revoke(id: string): Promise<boolean>
}

export function storedKeys(kept: Mirror<ApiKeyRecord>): StoredKeys {
  return {
    find: (id) => kept.get(id),
    add: (record) => kept.put(record.id, record),
    list: () => kept.entries().map(([, record]) => record),
    async revoke(id) {
      if (!kept.get(id)) return false
      await kept.drop(id)
      return true
    },
  }
}
