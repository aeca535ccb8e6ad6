import { setImmediate } from 'node:timers/promises'
import { type AuditHead, auditLine, verifyAudit } from 'toolwire/guard'
import type { HeadSigner } from '../../audit/signed-head.js'
import type { Sql } from '../connection.js'
import type { SignedStream } from './fold-checkpoints.js'
import { isSealed, streamEnd } from './stream-end.js'

/** Pages go by place, so that two records in one place are both read. */
const pageSize = 500

/** A record of a stream is not as it was written. */
export class StreamFault extends Error {
  override readonly name = 'StreamFault'
  readonly stream: string
  readonly sequence: number
  readonly before: AuditHead | undefined
  /** The chain is intact, but not the signed one. The checkpoints tell since when. */
  readonly isRewritten: boolean

  constructor(stream: string, sequence: number, why: string, before?: AuditHead, isRewritten = false) {
    super(`Stream ${stream}: ${why}`)
    this.stream = stream
    this.sequence = sequence
    this.before = before
    this.isRewritten = isRewritten
  }
}

type Checking = {
  readonly sql: Sql
  readonly signer: HeadSigner
  readonly progress: (entries: number) => void
}

/**
 * Verifies a whole stream and returns the number of its records, and of those that no checkpoint has signed. `own` is the last record that
 * this replica has written.
 */
export async function verifyStream(
  { sql, signer, progress }: Checking,
  stream: string,
  { from, head: signed }: SignedStream,
  own?: AuditHead,
): Promise<{ entries: number; unsigned: number }> {
  const fault = (sequence: number, why: string, before?: AuditHead) => new StreamFault(stream, sequence, why, before)
  const begin = from?.sequence ?? 0
  const marks = [signed, own].filter((mark) => mark !== undefined)
  const end = await streamEnd(sql, stream)
  const least = Math.max(begin, ...marks.map(({ sequence }) => sequence))
  if (end && !isSealed(end, signer)) throw fault(end.sequence, 'The end of the stream was not written by a replica')
  if (end && end.sequence < least)
    throw fault(end.sequence + 1, `The stream ends with record ${end.sequence}, before record ${least}`)
  if (!end && least > begin) throw fault(begin + 1, 'The stream was removed')
  const goal = end ?? from
  const [beyond] = await sql<{ sequence: number }>(
    `SELECT sequence::float8 AS sequence FROM toolwire.audit WHERE stream = $1 AND ($2::bigint IS NULL OR sequence > $2) ORDER BY sequence LIMIT 1`,
    [stream, goal?.sequence ?? null],
  )
  if (beyond && ((await streamEnd(sql, stream))?.sequence ?? -Infinity) < beyond.sequence)
    throw fault(beyond.sequence, `The stream ends with record ${goal?.sequence ?? 0}, and no replica has written a later one`)
  if (!goal) return { entries: 0, unsigned: 0 }
  const entries = await verifyRecords({ sql, progress }, stream, { from, goal, marks })
  return { entries, unsigned: goal.sequence - Math.max(begin, signed?.sequence ?? 0) }
}

type RecordRange = {
  readonly from: AuditHead | undefined
  /** The last record to read. */
  readonly goal: AuditHead
  /** Records with known hashes, which must match if they are read. */
  readonly marks: readonly AuditHead[]
}

/** Verifies a stream up to a known record and returns the number of records. */
export async function verifyRecords(
  { sql, progress }: Pick<Checking, 'sql' | 'progress'>,
  stream: string,
  { from, goal, marks }: RecordRange,
): Promise<number> {
  const [first] = await sql<{ sequence: number | null }>(
    'SELECT min(sequence)::float8 AS sequence FROM toolwire.audit WHERE stream = $1',
    [stream],
  )
  let other: AuditHead | undefined
  async function* lines(): AsyncGenerator<string> {
    const { sequence: until } = goal
    for (let after = Math.min(from?.sequence ?? 0, (first?.sequence ?? until) - 1); after < until; after += pageSize) {
      const page = await recordsBetween(sql, stream, after, Math.min(until, after + pageSize))
      for (const entry of page) {
        other ??= marks.find(({ sequence, hash }) => sequence === entry.sequence && hash !== entry.hash)
        if (other) return
        yield auditLine(entry)
      }
      progress(page.length)
      await setImmediate()
    }
  }
  const { sequence, hash } = goal
  const verdict = await verifyAudit(lines(), { from, head: { sequence, hash } })
  // An earlier record may be at fault as well.
  if (other && (verdict.ok || verdict.sequence >= other.sequence)) throw rewrittenFault(stream, other.sequence)
  if (!verdict.ok) throw new StreamFault(stream, verdict.sequence, verdict.why, verdict.head)
  return verdict.entries
}

export const rewrittenFault = (stream: string, sequence: number): StreamFault =>
  new StreamFault(stream, sequence, `Record ${sequence} differs from the one that was signed`, undefined, true)

const recordsBetween = (sql: Sql, stream: string, after: number, until: number) =>
  sql<AuditHead & { text: string }>(
    `SELECT sequence::float8 AS sequence, encode(hash, 'hex') AS hash, text FROM toolwire.audit
     WHERE stream = $1 AND sequence > $2 AND sequence <= $3 ORDER BY sequence, day`,
    [stream, after, until],
  )
