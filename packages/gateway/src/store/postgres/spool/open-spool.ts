import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { prepareLockedDirectory } from '../../data-directory.js'
import { ensurePartitions } from '../audit/partitions.js'
import type { Postgres } from '../connection.js'
import { hasLeftovers, type LeftoverParts, moveLeftovers } from './leftover-spools.js'

/**
 * Takes the data directory for this process alone, because it has the socket and the management token of one replica. Moves the records
 * that the last run of this replica left there, and returns the folder for new ones, if a spool is wanted.
 */
export async function openSpool(
  dataDir: string,
  isWanted: boolean,
  { postgres, ...parts }: Omit<LeftoverParts, 'directory' | 'sql'> & { readonly postgres: Postgres },
) {
  const directory = join(dataDir, 'spool')
  prepareLockedDirectory(dataDir)
  const { lockDirectory } = await import('../../database/thread/directory-lock.js')
  const { release } = lockDirectory(dataDir)
  try {
    if (isWanted) mkdirSync(directory, { recursive: true, mode: 0o700 })
    if (hasLeftovers(directory)) {
      await ensurePartitions(postgres)
      await moveLeftovers({ ...parts, sql: postgres.sql, directory })
    }
  } catch (thrown) {
    release()
    throw thrown
  }
  return { release, spool: isWanted ? { directory } : undefined }
}
