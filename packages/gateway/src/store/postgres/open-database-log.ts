import { redactedUrl } from '../../config/describe-config.js'
import type { StoredAudit } from '../audit/stored-audit.js'
import type { GivenKeys } from '../secrets/gateway-keys.js'
import { StoreFailure } from '../store-failure.js'
import { checkWitness } from '../witness/check-witness.js'
import { headHash, logBeginning } from './audit/checkpoint-heads.js'
import { verifyStreams } from './audit/verify-streams.js'
import { openPostgres, type Sql } from './connection.js'
import { existingSigner } from './prepare-store.js'
import { hasSchema, partVersion, refuseNewer } from './schema/migrate.js'
import { schemaParts } from './schema/store-tables.js'

type DatabaseLog = Pick<StoredAudit, 'verify' | 'headHash' | 'checkWitnessed'> & { close(): Promise<void> }

/** Opens the log of a database for verification. A gateway would sign the last records, and then the log of a copy is its own. */
export async function openDatabaseLog(url: string, directory: string, keys: GivenKeys): Promise<DatabaseLog> {
  // The statement that needs a broken connection reports it.
  const { sql, close } = await openPostgres(url, () => undefined)
  try {
    await refuseOtherTables(sql)
    const signer = await existingSigner(sql, directory, keys)
    const own = () => ({ stream: '', head: undefined, seen: undefined })
    const beginning = () => logBeginning(sql, signer).catch(() => undefined) // `verify` reports an invalid one
    return {
      verify: (options) => verifyStreams({ sql, signer, own }, options),
      headHash: async (number) => headHash(sql, await beginning(), number),
      async checkWitnessed(heads) {
        const begins = await beginning()
        const hashOf = (number: number) => headHash(sql, begins, number)
        return checkWitness(heads, { publicKey: signer.publicKey, last: await lastCheckpoint(sql), hashOf })
      },
      close,
    }
  } catch (thrown) {
    await close()
    if (!(thrown instanceof StoreFailure)) throw thrown
    throw new StoreFailure(`The store at ${redactedUrl(url)} cannot be used. ${thrown.message}`, thrown.code)
  }
}

async function refuseOtherTables(sql: Sql): Promise<void> {
  if (!(await hasSchema(sql))) throw new StoreFailure('The database has no log yet. Name another database.')
  for (const part of schemaParts) {
    const found = await partVersion(sql, part.name)
    refuseNewer(part, found)
    if (found.version < part.migrations.length)
      throw new StoreFailure('Its tables were made by an older Toolwire. Migrate them: toolwire store migrate')
  }
}

const lastCheckpoint = async (sql: Sql): Promise<number> =>
  (await sql<{ last: number | null }>('SELECT max(number)::float8 AS last FROM toolwire.audit_checkpoints'))[0]?.last ?? 0
