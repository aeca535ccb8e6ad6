import type { GatewayConfig } from './gateway-config.js'
import type { StoredConfig } from './stored-config.js'

/** The config in a database, in versions. */
export type StoredConfigs = {
  /** Differs where another version is the newest; undefined while there is none. */
  readonly newest: string | undefined
  /** Its number; 0 while there is none. */
  readonly newestVersion: number
  /** A version, or the newest. */
  read(version?: number): Promise<StoredConfig | undefined>
  /** Calls back when another one is the newest. */
  onChange(listener: () => void): void
}

type OlderVersions = {
  readonly below: number
  readonly load: (stored: StoredConfig) => Promise<GatewayConfig>
}

/** Nobody goes back further. */
const mostTried = 100

/** Of the versions below one, the newest that can be loaded. */
export async function newestUsable(
  versions: Pick<StoredConfigs, 'read'>,
  { below, load }: OlderVersions,
): Promise<GatewayConfig | undefined> {
  for (let version = below - 1; version > Math.max(0, below - 1 - mostTried); version--) {
    try {
      const stored = await versions.read(version)
      if (stored) return await load(stored)
    } catch (thrown) {
      if (mayPass(thrown)) throw thrown
    }
  }
  return undefined
}

/** The database does not answer: that says nothing about a version. */
export const mayPass = (thrown: unknown): boolean =>
  thrown instanceof Error && 'isTransient' in thrown && thrown.isTransient === true
