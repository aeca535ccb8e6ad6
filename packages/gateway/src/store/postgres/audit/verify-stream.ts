import { setImmediate } from 'node:timers/promises'
import { type AuditHead, auditLine, verifyAudit } from 'toolwire/guard'
import type { HeadSigner } from '../../audit/signed-head.js'
import type { Sql } from '../connection.js'
import type { SignedStream } from './fold-checkpoints.js'
import { isSealed, streamEnd } from './stream-end.js'

/** Of records, by their place: so that two in the same place are both read. */
const pageSize = 500

/** A record of a stream is not as it must be. */
export class StreamFault extends Error {
  override readonly name = 'StreamFault'
  readonly stream: string
  readonly sequence: number
  readonly before: AuditHead | undefined

  constructor(stream: string, sequence: number, why: string, before?: AuditHead) {
    super(`Stream ${stream}: ${why}`)
    this.stream = stream
    this.sequence = sequence
    this.before = before
  }
}

type Checking = {
  readonly sql: Sql
  readonly signer: HeadSigner
  /** Hears how many records were looked at. */
  readonly progress: (entries: number) => void
}

/** Reads a stream from where it begins to where it ends, and gives the number of its records. `own` is what this replica has written. */
export async function verifyStream(
  { sql, signer, progress }: Checking,
  stream: string,
  { from, head: signed }: SignedStream,
  own?: AuditHead,
): Promise<number> {
  const fault = (sequence: number, why: string, before?: AuditHead) => new StreamFault(stream, sequence, why, before)
  const begin = from?.sequence ?? 0
  const marks = [signed, own].filter((mark) => mark !== undefined)
  const end = await streamEnd(sql, stream)
  const least = Math.max(begin, ...marks.map(({ sequence }) => sequence))
  if (end && !isSealed(end, signer)) throw fault(end.sequence, 'Its end was not written by a replica')
  if (end && end.sequence < least) throw fault(end.sequence + 1, `It ends with record ${end.sequence}, before record ${least}`)
  if (!end && least > begin) throw fault(begin + 1, 'It was removed')
  const goal = end ?? from
  const { lowest, beyond } = await strays(sql, stream, goal?.sequence ?? 0)
  if (beyond !== null && ((await streamEnd(sql, stream))?.sequence ?? 0) < beyond)
    throw fault(beyond, `It ends with record ${goal?.sequence ?? 0}; no replica has written this one`)
  if (!goal) return 0
  let other: AuditHead | undefined
  async function* lines(until: number): AsyncGenerator<string> {
    for (let after = Math.min(begin, (lowest ?? until) - 1); after < until; after += pageSize) {
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
  const verdict = await verifyAudit(lines(sequence), { from, head: { sequence, hash } })
  if (other) throw fault(other.sequence, anotherRecord(other.sequence), verdict.head)
  if (!verdict.ok) throw fault(verdict.sequence, verdict.why, verdict.head)
  return verdict.entries
}

const anotherRecord = (sequence: number) =>
  `This is another record ${sequence} than the one that was signed: the stream was made anew`

async function strays(sql: Sql, stream: string, end: number) {
  const [found] = await sql<{ lowest: number | null; beyond: number | null }>(
    `SELECT (SELECT min(sequence) FROM toolwire.audit WHERE stream = $1)::float8 AS lowest,
       (SELECT min(sequence) FROM toolwire.audit WHERE stream = $1 AND sequence > $2)::float8 AS beyond`,
    [stream, end],
  )
  return found ?? { lowest: null, beyond: null }
}

const recordsBetween = (sql: Sql, stream: string, after: number, until: number) =>
  sql<AuditHead & { text: string }>(
    `SELECT sequence::float8 AS sequence, encode(hash, 'hex') AS hash, text FROM toolwire.audit
     WHERE stream = $1 AND sequence > $2 AND sequence <= $3 ORDER BY sequence, day`,
    [stream, after, until],
  )
