import { createHash } from 'node:crypto'
import type { AuditHead } from 'toolwire/guard'
import type { HeadSigner } from '../../audit/signed-head.js'
import type { Sql } from '../connection.js'

type Place = readonly [sequence: number, hash: string]

/** The text of a signed checkpoint, with only those heads that have changed since the one before. */
export type CheckpointContent = {
  readonly number: number
  /** Hash of the checkpoint before. */
  readonly previous: string | null
  readonly heads: { readonly [stream: string]: Place }
  /** Milliseconds since 1970, by the clock of the database. */
  readonly at: number
  readonly key: string
  /** The new beginning of the log, after old days were dropped. */
  readonly begins?: LogBeginning
}

/** A tombstone for what was dropped. */
export type LogBeginning = {
  /** The last checkpoint that was dropped. */
  readonly checkpoint: Place | null
  readonly streams: {
    readonly [stream: string]: {
      readonly from: Place | null
      /** The last head of the stream in dropped checkpoints. */
      readonly head: Place | null
    }
  }
  /** Streams without any remaining records. */
  readonly gone: readonly string[]
  /** The log of a data directory was copied to this stream. Heads up to this number are those of its records. */
  readonly copied?: { readonly stream: string; readonly last: number }
}

/** A stored checkpoint, with exactly the text that was hashed and signed. */
export type Checkpoint = { readonly number: number; readonly hash: string; readonly text: string; readonly signature: string }

export function newCheckpoint(
  last: AuditHead | undefined,
  { heads, at, begins }: Pick<CheckpointContent, 'heads' | 'at' | 'begins'>,
  signer: HeadSigner,
): Checkpoint {
  const number = (last?.sequence ?? 0) + 1
  const content: CheckpointContent = {
    ...{ number, previous: last?.hash ?? null, heads, at, key: signer.publicKey },
    ...(begins && { begins }),
  }
  const text = JSON.stringify(content)
  return { number, hash: hashOf(text), text, signature: signer.signCheckpoint(text) }
}

const hashOf = (text: string): string => createHash('sha256').update(text).digest('hex')

/** Returns the contents of a checkpoint, or its fault. */
export function readCheckpoint(
  { number, hash, text, signature }: Checkpoint,
  { isOurCheckpoint }: Pick<HeadSigner, 'isOurCheckpoint'>,
): CheckpointContent | string {
  if (hashOf(text) !== hash) return 'The checkpoint was changed: its hash does not match'
  if (!isOurCheckpoint(text, signature)) return 'The checkpoint was not signed by this gateway'
  const content = JSON.parse(text) as CheckpointContent // this gateway has signed it
  return content.number === number ? content : `The checkpoint has the number ${content.number}, but is in the place of ${number}`
}

/** The newest tombstone. Only this one counts, because the contents of older ones have been dropped since. */
export async function newestTombstone(sql: Sql): Promise<Checkpoint | undefined> {
  const [found] = await sql<Checkpoint>(
    `SELECT ${checkpointColumns} FROM toolwire.audit_checkpoints WHERE begins ORDER BY number DESC LIMIT 1`,
  )
  return found
}

/** A page of checkpoints in order. */
export const checkpointsAfter = (sql: Sql, after: number, { most, until = Number.MAX_SAFE_INTEGER }: CheckpointPage) =>
  sql<Checkpoint>(
    `SELECT ${checkpointColumns} FROM toolwire.audit_checkpoints WHERE number > $1 AND number <= $2 ORDER BY number LIMIT $3`,
    [after, until, most],
  )

type CheckpointPage = { readonly most: number; readonly until?: number | undefined }

export const checkpointColumns = `number::float8 AS number, encode(hash, 'hex') AS hash, text, signature`
export const placeOf = ({ sequence, hash }: AuditHead): Place => [sequence, hash]
export const headAt = (place: Place | null | undefined): AuditHead | undefined =>
  place ? { sequence: place[0], hash: place[1] } : undefined
