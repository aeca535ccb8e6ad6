// Exported heads are those of the chain of checkpoints, which continues where the chain of a copied log ended.
import type { AuditHead } from 'toolwire/guard'
import { droppedHash } from '../../audit/retention.js'
import type { HeadSigner, SignedHead } from '../../audit/signed-head.js'
import type { HeadVerdict } from '../../audit/verify-log.js'
import type { Sql } from '../connection.js'
import { headAt, type LogBeginning, newestTombstone, readCheckpoint } from './checkpoint.js'

/** The hash of the head with this number: null if it was dropped, undefined if there is none. */
export async function headHash(sql: Sql, begins: LogBeginning | undefined, number: number): Promise<string | null | undefined> {
  const dropped = droppedHeadHash(begins, number)
  if (dropped !== undefined) return dropped
  const { copied } = begins ?? {}
  const isRecord = copied && number <= copied.last
  const [found] = await (isRecord
    ? sql<{ hash: string }>(
        `SELECT encode(hash, 'hex') AS hash FROM toolwire.audit WHERE stream = $1 AND sequence = $2 ORDER BY day LIMIT 1`,
        [copied.stream, number],
      )
    : sql<{ hash: string }>(`SELECT encode(hash, 'hex') AS hash FROM toolwire.audit_checkpoints WHERE number = $1`, [number]))
  return found?.hash
}

/** Null for a head that was dropped, and the hash of the last dropped one; undefined if the log has the head or never had it. */
export function droppedHeadHash({ copied, checkpoint, streams = {} }: Partial<LogBeginning> = {}, number: number) {
  const isRecord = copied && number <= copied.last
  return droppedHash(headAt(isRecord ? streams[copied.stream]?.from : checkpoint), number)
}

/** Returns undefined if nothing was dropped or copied; throws if the signature is invalid. */
export async function logBeginning(sql: Sql, signer: HeadSigner): Promise<LogBeginning | undefined> {
  const found = await newestTombstone(sql)
  if (!found) return undefined
  const read = readCheckpoint(found, signer)
  if (typeof read === 'string') throw new Error(`${read}. Verify the log: toolwire audit verify`)
  return read.begins
}

/** The last checkpoint that was dropped. */
export const lastDroppedCheckpoint = async (sql: Sql, signer: HeadSigner): Promise<AuditHead | undefined> =>
  headAt((await logBeginning(sql, signer))?.checkpoint)

export async function checkHeadIn(sql: Sql, signer: HeadSigner, signed: SignedHead): Promise<HeadVerdict> {
  const { sequence, hash } = signed
  if (!signer.isOurs(signed, 'head')) return { ok: false, why: 'The head was not signed by this gateway' }
  const begins = await logBeginning(sql, signer)
  const what = `${sequence <= (begins?.copied?.last ?? 0) ? 'Record' : 'Checkpoint'} ${sequence}`
  const kept = await headHash(sql, begins, sequence)
  if (kept === null) return { ok: false, why: `${what} was dropped by retention. Check a newer head` }
  if (kept === undefined) return { ok: false, why: `The log ends before ${what.toLowerCase()}, which was written` }
  return kept === hash ? { ok: true } : { ok: false, why: `${what} differs from the head: the log was rewritten` }
}
