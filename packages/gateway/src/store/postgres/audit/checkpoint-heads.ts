// Exported heads are those of the chain of checkpoints, which continues where the chain of a copied log ended.
import { droppedHash } from '../../audit/retention.js'
import type { HeadSigner } from '../../audit/signed-head.js'
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
