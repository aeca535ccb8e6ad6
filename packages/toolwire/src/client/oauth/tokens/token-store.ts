/**
 * Stores tokens and registrations of one person, as text under keys. The texts are secret, so a store keeps them where nobody else can
 * read them, such as in the keyring of the operating system.
 */
export interface TokenStore {
  get(key: string): Promise<string | undefined> | string | undefined
  set(key: string, value: string): Promise<void> | void
  delete(key: string): Promise<void> | void
  /**
   * Runs work while no other process with the same tokens runs any. Without it, two processes may use a refresh token at the same moment,
   * and some authorization servers then revoke both.
   */
  inTurn?<T>(work: () => Promise<T>): Promise<T>
}

/**
 * Keeps tokens and registrations in memory, until the process ends.
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
