import type { TokenStore } from 'toolwire/client/oauth'

type Watching = {
  /** Whether the login is still this one: what was renewed for another is nobody's. */
  readonly isCurrent: () => boolean
  readonly onSet: () => void
}

/** Where the tokens of a login are while it is used. What the disk does not take is kept here: old tokens would be worth nothing. */
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
        // `trouble` of the store says what is wrong with it.
      }
    },
    async delete(key) {
      latest.delete(key)
      if (isCurrent()) await store.delete(key)
    },
  }
}
