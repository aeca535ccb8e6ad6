// Copies a store that gateways share to a data directory, for one gateway alone.
import type { StoredConfig } from '../../config/stored-config.js'
import type { HeadSigner } from '../audit/signed-head.js'
import { signingKeyState, stateRows } from '../database/key-value-rows.js'
import { checkpointWriter } from '../postgres/audit/checkpoint-writer.js'
import { foldCheckpoints } from '../postgres/audit/fold-checkpoints.js'
import { verifyStreams } from '../postgres/audit/verify-streams.js'
import { configVersions } from '../postgres/config-versions.js'
import type { Sql } from '../postgres/connection.js'
import { copiedMark, prepareTables } from '../postgres/prepare-store.js'
import { replicaRows } from '../postgres/replicas.js'
import { hasSchema } from '../postgres/schema/migrate.js'
import { nulSafe } from '../postgres/text-cells.js'
import { refuseDifferentKeys } from '../secrets/gateway-keys.js'
import { type CopyCount, compareCounts, countsInDirectory, countsInPostgres } from './copied-counts.js'
import { type CopiedDirectory, openTargetDirectory } from './copied-directory.js'
import { copyRowsToDirectory } from './copied-rows.js'
import type { CopyOptions } from './copy-to-postgres.js'
import { inCopyTransaction } from './copy-transaction.js'
import { archiveLog, copiedChain, restoreChain, verifyRestored } from './restore-log.js'

export type CopiedBack = {
  readonly counts: readonly CopyCount[]
  /** The archived log of several gateways. In the data directory it continues as a new chain. */
  readonly file?: string
  /** The newest config of the gateways, which stays in the database. */
  readonly config?: StoredConfig
}

export async function copyToDirectory(url: string, directory: string, options: CopyOptions): Promise<CopiedBack> {
  await refuseDifferentKeys(directory, options.keys)
  const target = openTargetDirectory(directory)
  try {
    return await inCopyTransaction(url, (sql) => copyStore(sql, target, options))
  } finally {
    target.close()
  }
}

async function copyStore(sql: Sql, target: CopiedDirectory, { keys, onProgress }: CopyOptions): Promise<CopiedBack> {
  const { db, directory } = target
  await refuseUnused(sql)
  // The locks prevent changes meanwhile.
  await sql(`SET LOCAL lock_timeout = '2s'`)
  await sql('LOCK TABLE toolwire.kept, toolwire.sealed, toolwire.approvals, toolwire.audit_streams IN SHARE MODE')
  const running = await replicaRows({ sql, transaction: (work) => work(sql) }, { id: '', name: '', version: '' }).list()
  if (running.length > 0) {
    const who = running.length === 1 ? 'A gateway uses' : `${running.length} gateways use`
    throw new Error(`${who} the database. Stop every gateway first. To list them: toolwire replicas`)
  }
  const { signer } = await prepareTables(sql, directory, keys)
  await signEnds(sql, signer)
  const own = () => ({ stream: '', head: undefined, seen: undefined })
  const verdict = await verifyStreams({ sql, signer, own }, { onProgress: (done) => onProgress('verified', done) })
  if (!verdict.ok && !verdict.empty)
    throw new Error(
      `The log was altered, so nothing was copied: ${verdict.why} (record ${verdict.sequence}). Verify the log: toolwire audit verify`,
    )
  await copyRowsToDirectory(sql, db)
  const source = new Map(await countsInPostgres(sql))
  const log = { sql, signer, onProgress }
  const state = await foldCheckpoints(sql, signer)
  const isUntouched = (await sql('SELECT 1 FROM toolwire.state WHERE name = $1', [copiedMark])).length > 0
  const chain = isUntouched ? copiedChain(state) : undefined
  if (chain) await restoreChain(log, target, chain)
  const archived = !chain && state.head ? await archiveLog(log, target, state.head) : undefined
  await verifyRestored(target, { signer, onProgress })
  stateRows(db).put(signingKeyState, signer.publicKey)
  const copies = new Map(countsInDirectory(db))
  if (archived) copies.set(records, archived.entries)
  const counts = compareCounts(source, copies)
  const config = await configVersions(nulSafe(sql)).get()
  target.commit()
  return { counts, ...(archived && { file: archived.file }), ...(config && { config }) }
}

const records = 'audit records'

async function refuseUnused(sql: Sql): Promise<void> {
  if (!(await hasSchema(sql))) throw new Error('The database has no store. Name another database.')
  const [row] = await sql<{ used: boolean }>('SELECT EXISTS (SELECT 1 FROM toolwire.state) AS used')
  if (!row?.used) throw new Error('The database has no store yet: no gateway has used it. Name another database.')
}

/** Signs the last records of gateways that were killed before they could sign them. */
async function signEnds(sql: Sql, signer: HeadSigner): Promise<void> {
  const postgres = { sql, transaction: <T>(work: (sql: Sql) => Promise<T>) => work(sql), close: async () => undefined }
  let trouble: unknown
  const onAttempt = (why: unknown) => {
    trouble = why
  }
  const checkpoints = checkpointWriter({ postgres, signer, onAttempt })
  for (let before: number | undefined = -1; before !== checkpoints.head()?.sequence; ) {
    before = checkpoints.head()?.sequence
    await checkpoints.now()
    if (trouble !== undefined) throw trouble
  }
}
