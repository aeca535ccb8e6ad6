// Heads that were given out are those of the chain of checkpoints.
import type { AuditHead } from 'toolwire/guard'
import type { HeadSigner, SignedHead } from '../../audit/signed-head.js'
import type { HeadVerdict } from '../../audit/verify-log.js'
import type { Sql } from '../connection.js'
import { type Checkpoint, checkpointColumns, headAt, readCheckpoint } from './checkpoint.js'

export async function checkpointHash(sql: Sql, number: number): Promise<string | undefined> {
  const [found] = await sql<{ hash: string }>(
    `SELECT encode(hash, 'hex') AS hash FROM toolwire.audit_checkpoints WHERE number = $1`,
    [number],
  )
  return found?.hash
}

/** The last checkpoint that was dropped; throws where nobody has signed that. */
export async function firstCheckpoint(sql: Sql, signer: HeadSigner): Promise<AuditHead | undefined> {
  const [found] = await sql<Checkpoint>(
    `SELECT ${checkpointColumns} FROM toolwire.audit_checkpoints WHERE begins ORDER BY number DESC LIMIT 1`,
  )
  if (!found) return undefined
  const read = readCheckpoint(found, signer)
  if (typeof read === 'string') throw new Error(`${read}. Verify the log: toolwire audit verify`)
  return headAt(read.begins?.checkpoint)
}

export async function checkHeadIn(sql: Sql, signer: HeadSigner, signed: SignedHead): Promise<HeadVerdict> {
  const { sequence, hash } = signed
  if (!signer.isOurs(signed, 'head')) return { ok: false, why: 'It was not signed by this gateway' }
  const begin = await firstCheckpoint(sql, signer)
  if (begin && sequence < begin.sequence)
    return { ok: false, why: `Checkpoint ${sequence} was dropped, as was to be. Take a newer head` }
  const kept = begin?.sequence === sequence ? begin.hash : await checkpointHash(sql, sequence)
  if (kept === undefined) return { ok: false, why: `The log ends before checkpoint ${sequence}, which was written` }
  return kept === hash ? { ok: true } : { ok: false, why: `Checkpoint ${sequence} is another one: the log was made anew` }
}
