// Signs the heads of all streams once a second; the first replica to do so wins.
import type { AuditHead } from 'toolwire/guard'
import { oneAtATime, repeatedTask } from '../../../bounds/one-at-a-time.js'
import type { HeadSigner } from '../../audit/signed-head.js'
import { clockOf, nowMs, type Postgres, type Sql } from '../connection.js'
import {
  type Checkpoint,
  type CheckpointContent,
  checkpointColumns,
  newCheckpoint,
  placeOf,
  readCheckpoint,
} from './checkpoint.js'
import { changingDays, endColumns, isSealed, type StreamEnd } from './stream-end.js'

const everyMs = 1_000
/** A checkpoint younger than this was just written by another replica. */
const recentMs = 900
/** Further heads go into the next checkpoint. */
const mostHeads = 10_000

type Parts = {
  readonly postgres: Postgres
  readonly signer: HeadSigner
  /** Called with the error that keeps checkpoints from being written, or with undefined. */
  readonly onAttempt: (trouble: unknown) => void
}

type Latest = Checkpoint & { readonly age: number; readonly now: number }

export function checkpointWriter({ postgres, signer, onAttempt }: Parts) {
  const days = changingDays()
  let seen: AuditHead | undefined
  let timer: NodeJS.Timeout | undefined

  /** The newest checkpoint, which must be signed by this gateway and no older than the last one seen. */
  async function latest(): Promise<Latest | undefined> {
    const [found] = await postgres.sql<Latest>(
      `SELECT ${checkpointColumns}, 1000 * extract(epoch FROM clock_timestamp() - at)::float8 AS age, ${nowMs} AS now
       FROM toolwire.audit_checkpoints ORDER BY number DESC LIMIT 1`,
    )
    if ((found?.number ?? 0) < (seen?.sequence ?? 0))
      throw new Error(`Checkpoints after ${found?.number ?? 0} were removed. ${advice}`)
    if (!found || found.hash === seen?.hash) return found
    const read = readCheckpoint(found, signer)
    const why =
      typeof read === 'string' ? read : found.number === seen?.sequence && 'The checkpoint has changed since it was read'
    if (why) throw new Error(`Checkpoint ${found.number}: ${why}. ${advice}`)
    seen = { sequence: found.number, hash: found.hash }
    return found
  }

  async function write(isLast: boolean): Promise<void> {
    const last = await latest()
    if (last && last.age < recentMs && !isLast) return
    const changed = await days.read((days) => changedEnds(postgres.sql, days), isLast || undefined)
    const isGenuine = (end: ChangedEnd) => end.sequence > (end.signed ?? 0) && isSealed(end, signer)
    const wrong = changed.find((end) => !isGenuine(end))
    const heads = Object.fromEntries(changed.filter(isGenuine).map((end) => [end.stream, placeOf(end)]))
    let isLeft = changed.length === mostHeads
    if (Object.keys(heads).length > 0) {
      const at = last?.now ?? (await clockOf(postgres.sql))
      const made = newCheckpoint(seen, { heads, at }, signer)
      if (await putCheckpoint(postgres.sql, made, heads)) seen = { sequence: made.number, hash: made.hash }
      else isLeft = true
    }
    if (wrong) throw new Error(`The end of stream ${wrong.stream} was not written by a replica, and is not signed. ${advice}`)
    if (!isLeft) days.handled()
  }

  // `last` would otherwise move `seen` past heads that are about to be signed, and older answers would look like removed checkpoints.
  const inTurn = oneAtATime()
  const attempt = repeatedTask((isLast: boolean) => inTurn(() => write(isLast)).then(() => onAttempt(undefined), onAttempt))

  return {
    start(): void {
      timer ??= setInterval(() => attempt.ifIdle(false), everyMs).unref()
    },
    /** Signs everything that is safe now. */
    now: () => attempt.now(true),
    /** The last checkpoint that this replica has seen. */
    head: () => seen,
    /** Returns the checkpoint after which a new one is written. */
    last: (): Promise<AuditHead | undefined> => inTurn(() => latest().then(() => seen)),
    stop: () => clearInterval(timer),
  }
}

const advice = 'Verify the log: toolwire audit verify'

type ChangedEnd = StreamEnd & { readonly signed: number | null }

/** Reads only committed ends. */
const changedEnds = (sql: Sql, days: string) =>
  sql<ChangedEnd>(
    `SELECT ${endColumns}, h.sequence::float8 AS signed FROM toolwire.audit_streams s LEFT JOIN toolwire.audit_heads h USING (stream)
     WHERE (h.sequence IS DISTINCT FROM s.sequence OR h.hash <> s.hash) AND ${days} ORDER BY s.stream LIMIT ${mostHeads}`,
  )

/** Returns true if this checkpoint was inserted: of several writers of one number, one wins. */
export async function putCheckpoint(
  sql: Sql,
  { number, hash, text, signature }: Checkpoint,
  heads: CheckpointContent['heads'],
  begins = false,
): Promise<boolean> {
  const streams = Object.keys(heads)
  const values = [
    number,
    hash,
    text,
    signature,
    begins,
    streams,
    streams.map((one) => heads[one]?.[0]),
    streams.map((one) => heads[one]?.[1]),
  ]
  const won = await sql(
    `WITH won AS (
       INSERT INTO toolwire.audit_checkpoints (number, hash, text, signature, begins)
       VALUES ($1, decode($2, 'hex'), $3, $4, $5) ON CONFLICT DO NOTHING RETURNING number
     ), noted AS (
       INSERT INTO toolwire.audit_heads AS h (stream, sequence, hash)
       SELECT stream, sequence, decode(hash, 'hex') FROM won, unnest($6::uuid[], $7::bigint[], $8::text[]) AS t(stream, sequence, hash)
       ON CONFLICT (stream) DO UPDATE SET sequence = excluded.sequence, hash = excluded.hash
     ) SELECT number FROM won`,
    values,
  )
  return won.length > 0
}
