import type { TokenStore } from 'toolwire/client/oauth'

type Watching = {
  /** Is the login still the same? Tokens renewed for a replaced login are not stored. */
  readonly isCurrent: () => boolean | Promise<boolean>
  readonly onSet: (key: string) => void
}

/** The token store of a login in use. Values that the store does not take stay in memory, because the old ones may be invalid by now. */
export function currentTokenStore(store: TokenStore, { isCurrent, onSet }: Watching): TokenStore {
  const unsaved = new Map<string, string>()
  return {
    ...store,
    // Another replica may have renewed a stored value, so it is read each time.
    get: (key) => unsaved.get(key) ?? store.get(key),
    async set(key, value) {
      unsaved.set(key, value)
      onSet(key)
      try {
        if (!(await isCurrent())) return
        await store.set(key, value)
        if (unsaved.get(key) === value) unsaved.delete(key)
      } catch {
        // `trouble` of the store reports the failure.
      }
    },
    async delete(key) {
      unsaved.delete(key)
      if (await isCurrent()) await store.delete(key)
    },
  }
}
