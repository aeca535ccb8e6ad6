import type { TokenStore } from 'toolwire/client/oauth'

type Watching = {
  /** Is the login still the same? Tokens renewed for a replaced login are not stored. */
  readonly isCurrent: () => boolean
  readonly onSet: () => void
}

/** The token store of a login in use. If the disk fails, new tokens stay in memory, because the old ones may be invalid by now. */
export function currentTokenStore(store: TokenStore, { isCurrent, onSet }: Watching): TokenStore {
  const latest = new Map<string, string>()
  return {
    get: (key) => latest.get(key) ?? store.get(key),
    async set(key, value) {
      latest.set(key, value)
      onSet()
      if (!isCurrent()) return
      try {
        await store.set(key, value)
      } catch {
        // `trouble` of the store reports the failure.
      }
    },
    async delete(key) {
      latest.delete(key)
      if (isCurrent()) await store.delete(key)
    },
  }
}
