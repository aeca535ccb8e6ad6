import type { GatewayConfig } from './gateway-config.js'
import type { StoredConfig } from './stored-config.js'

/** The versions of the config in a database. */
export type StoredConfigs = {
  /** Changes whenever another version becomes the newest; undefined if there is no version. */
  readonly newest: string | undefined
  /** Its number; 0 if there is no version. */
  readonly newestVersion: number
  /** Reads a version, by default the newest. */
  read(version?: number): Promise<StoredConfig | undefined>
  /** Calls the listener when another version becomes the newest. */
  onChange(listener: () => void): void
}

type OlderVersions = {
  readonly below: number
  readonly above?: number
  readonly load: (stored: StoredConfig) => Promise<GatewayConfig>
}

/** Limit on how many older versions are tried. */
const maxTried = 100

/** The newest version between two others that can be loaded. */
export async function newestUsable(
  versions: Pick<StoredConfigs, 'read'>,
  { below, above = 0, load }: OlderVersions,
): Promise<GatewayConfig | undefined> {
  for (let version = below - 1; version > Math.max(above, below - 1 - maxTried); version--) {
    try {
      const stored = await versions.read(version)
      if (stored) return await load(stored)
    } catch (thrown) {
      if (isOutage(thrown)) throw thrown
    }
  }
  return undefined
}

/** Is this an outage of the database? An outage does not make a version unusable. */
export const isOutage = (thrown: unknown): boolean =>
  thrown instanceof Error && 'isTransient' in thrown && thrown.isTransient === true
