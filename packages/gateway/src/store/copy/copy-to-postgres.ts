// Copies a data directory to a store that gateways share, in one transaction, so that no partial copy is ever visible.
import { sealedArguments } from '../approvals/sealed-arguments.js'
import { bytesIn } from '../database/cells.js'
import { preparer } from '../database/connection.js'
import { signingKeyState, stateRows } from '../database/key-value-rows.js'
import type { CredentialKey } from '../database/sealed-rows.js'
import { verifyStreams } from '../postgres/audit/verify-streams.js'
import type { Sql } from '../postgres/connection.js'
import { copiedMark, prepareTables } from '../postgres/prepare-store.js'
import { migrateAll } from '../postgres/schema/migrate.js'
import { schemaParts } from '../postgres/schema/store-tables.js'
import {
  type GivenKeys,
  isKeyMissing,
  keyFiles,
  keyVariables,
  refuseDifferentKeys,
  refuseOtherSigner,
} from '../secrets/gateway-keys.js'
import { storeSealers } from '../secrets/seal.js'
import { type CopyCount, compareCounts, countsInDirectory, countsInPostgres } from './copied-counts.js'
import { type CopiedDirectory, openSourceDirectory } from './copied-directory.js'
import { copyRowsToPostgres } from './copied-rows.js'
import { copyLog } from './copy-log.js'
import { inCopyTransaction } from './copy-transaction.js'

export type CopyOptions = {
  readonly keys: GivenKeys
  readonly onProgress: (what: string, done: number) => void
}

export async function copyToPostgres(directory: string, url: string, options: CopyOptions): Promise<CopyCount[]> {
  for (const name of ['vault', 'audit'] as const)
    if (isKeyMissing(name, directory, options.keys))
      throw new Error(
        `There is no ${keyFiles[name]} in ${directory}. Name the data directory of a gateway, or set ${keyVariables[name]} to the key of that gateway.`,
      )
  await refuseDifferentKeys(directory, options.keys)
  const source = openSourceDirectory(directory)
  try {
    return await inCopyTransaction(url, (sql) => copyStore(source, sql, options))
  } finally {
    source.close()
  }
}

async function copyStore(source: CopiedDirectory, sql: Sql, { keys, onProgress }: CopyOptions): Promise<CopyCount[]> {
  const { db, directory } = source
  await migrateAll(sql, schemaParts)
  await refuseUsed(sql)
  await copyRowsToPostgres(db, sql)
  const { secret, signer } = await prepareTables(sql, directory, keys)
  refuseOtherKey(source, secret)
  refuseOtherSigner(signer, { directory, keys, known: stateRows(db).get(signingKeyState) })
  const head = await copyLog(source, sql, { signer, onProgress })
  const own = () => ({ stream: '', head: undefined, seen: head })
  const verdict = await verifyStreams({ sql, signer, own }, { onProgress: (done) => onProgress('verified in PostgreSQL', done) })
  if (!verdict.ok && !verdict.empty)
    throw new Error(`The copy of the log is incomplete or altered, so it was discarded: ${verdict.why}`)
  const counts = compareCounts(countsInDirectory(db), await countsInPostgres(sql, writtenHere))
  await sql('INSERT INTO toolwire.state (name, value) VALUES ($1, now()::text)', [copiedMark])
  return counts
}

const writtenHere = 'xmin = pg_current_xact_id()::xid'

async function refuseUsed(sql: Sql): Promise<void> {
  const tables = ['kept', 'sealed', 'approvals', 'state', 'replicas', 'audit_streams', 'audit_checkpoints']
  const some = tables.map((table) => `EXISTS (SELECT 1 FROM toolwire.${table})`).join(' OR ')
  const [row] = await sql<{ used: boolean }>(`SELECT ${some} AS used`)
  if (row?.used)
    throw new Error(
      'The database has a store already. Name an empty database, or remove the store and its log: DROP SCHEMA toolwire CASCADE',
    )
}

/** Refuses another vault key, with which nobody could open what is sealed. A single value that does not open was damaged. */
function refuseOtherKey({ db, directory }: CopiedDirectory, secret: Uint8Array): void {
  const sql = preparer(db)
  const sealers = storeSealers(secret)
  const { opens } = sealedArguments(sealers.approvals)
  const credentials = sql<CredentialKey & { value: Uint8Array }>('SELECT * FROM sealed').all()
  const approvals = sql<{ id: string }>('SELECT id FROM approvals WHERE live = 1 AND sealed IS NOT NULL').all()
  const sealed = sql<{ sealed: Uint8Array }>('SELECT sealed FROM approvals WHERE id = ?')
  const opensCredential = ({ value, ...place }: (typeof credentials)[number]): boolean => {
    try {
      sealers.vault.open(bytesIn(value), place)
      return true
    } catch {
      return false // the caller reports it
    }
  }
  const opensApproval = ({ id }: { id: string }) => opens(id, bytesIn(sealed.first(id)?.sealed ?? new Uint8Array()))
  if (credentials.length + approvals.length === 0) return
  if (!credentials.some(opensCredential) && !approvals.some(opensApproval))
    throw new Error(
      `The data in ${directory} was sealed with another key. Set ${keyVariables.vault} to the key of the gateway that uses the directory.`,
    )
}
