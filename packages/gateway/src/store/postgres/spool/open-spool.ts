import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { ensurePartitions } from '../audit/partitions.js'
import type { Postgres } from '../connection.js'
import { hasLeftovers, type LeftoverParts, moveLeftovers } from './leftover-spools.js'

/** Moves the records that the last run of this replica left on disk. Then returns the folder for new ones, if a spool is wanted. */
export async function openSpool(
  dataDir: string,
  isWanted: boolean | undefined,
  { postgres, ...parts }: Omit<LeftoverParts, 'directory' | 'sql'> & { readonly postgres: Postgres },
) {
  const directory = join(dataDir, 'spool')
  if (isWanted === undefined || !(isWanted || hasLeftovers(directory))) return undefined
  mkdirSync(directory, { recursive: true, mode: 0o700 })
  const { lockDirectory } = await import('../../database/thread/directory-lock.js')
  // Another process that has the directory may be writing there.
  const { release } = lockDirectory(dataDir)
  try {
    await ensurePartitions(postgres)
    await moveLeftovers({ ...parts, sql: postgres.sql, directory })
  } catch (thrown) {
    release()
    throw thrown
  }
  if (isWanted) return { directory, release }
  release()
  return undefined
}
