/**
 * Where tokens and registrations are kept: text under a key, for one person. What is written there is secret, so a store keeps
 * it where nobody else can read it, such as the keyring of the operating system.
 */
export interface TokenStore {
  get(key: string): Promise<string | undefined> | string | undefined
  set(key: string, value: string): Promise<void> | void
  delete(key: string): Promise<void> | void
}

/**
 * Keeps everything until the process ends.
 *
 * @example
 * ```ts
 * const store = memoryTokens()
 * ```
 */
export function memoryTokens(): TokenStore {
  const kept = new Map<string, string>()
  return {
    get: (key) => kept.get(key),
    set: (key, value) => void kept.set(key, value),
    delete: (key) => void kept.delete(key),
  }
}
