import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { auditRows } from '../database/audit/audit-rows.js'
import { verifyRows } from '../database/audit/verify-rows.js'
import { type DatabaseConnection, openDatabaseForReading } from '../database/connection.js'
import { signingKeyState, stateRows } from '../database/key-value-rows.js'
import { refuseNewerVersion } from '../database/migrations.js'
import { shareDirectory } from '../database/thread/directory-lock.js'
import { existingAuditSigner, type GivenKeys, refuseOtherSigner } from '../secrets/gateway-keys.js'
import { headFormatFile } from './resign-old-head.js'
import type { HeadSigner } from './signed-head.js'
import { type LogReads, type LogVerifier, logVerifier } from './verify-log.js'

/** Opens the log of a data directory that no gateway uses. No file of the directory changes, so it may be read-only. */
export async function openLogForReading(directory: string, keys: GivenKeys): Promise<LogVerifier & { close(): void }> {
  const signer = await existingAuditSigner(directory, keys)
  const lock = shareDirectory(directory)
  let db: DatabaseConnection | undefined
  const close = (): void => {
    db?.close()
    lock.release()
  }
  try {
    db = openDatabaseForReading(join(directory, 'toolwire.db'))
    refuseNewerVersion(db)
    const rows = auditRows(db)
    const state = stateRows(db)
    refuseOtherSigner(signer, { directory, keys, known: state.get(signingKeyState) })
    const reads: LogReads = {
      head: async () => rows.head(),
      entry: async (sequence) => rows.entry(sequence),
      mark: async () => state.get('from'),
      verify: async (range, onProgress) => verifyRows(rows, range, onProgress ?? (() => undefined)),
    }
    const accepted = existsSync(join(directory, headFormatFile)) ? signer : withOldMarks(signer)
    return { ...logVerifier(reads, accepted, () => undefined), close }
  } catch (thrown) {
    close()
    throw thrown
  }
}

/** In a directory of an older version, the mark is signed like a head until a gateway is started there. */
const withOldMarks = (signer: HeadSigner): HeadSigner => ({
  ...signer,
  isOurs: (head, purpose) => signer.isOurs(head, purpose) || signer.isOurs(head, 'head'),
})
