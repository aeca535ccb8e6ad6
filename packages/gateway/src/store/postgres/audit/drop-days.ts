// Drops old days whole. A signed checkpoint, the tombstone, then says where each stream begins.
import type { AuditHead } from 'toolwire/guard'
import type { Retention } from '../../audit/retention.js'
import type { HeadSigner } from '../../audit/signed-head.js'
import { clockOf, type Postgres, type Sql } from '../connection.js'
import { today } from './audit-tables.js'
import { type LogBeginning, newCheckpoint, placeOf } from './checkpoint.js'
import { type checkpointWriter, putCheckpoint } from './checkpoint-writer.js'
import { type DroppedStream, droppedStreams, endedBefore } from './dropped-streams.js'
import { beginningNumber, foldCheckpoints, type SignedState } from './fold-checkpoints.js'
import { lockPartitions, partitionsBefore } from './partitions.js'
import { StreamFault, verifyRecords } from './verify-stream.js'

type Dropping = {
  readonly postgres: Postgres
  readonly signer: HeadSigner
  readonly checkpoints: Pick<ReturnType<typeof checkpointWriter>, 'last'>
}

/** The largest difference between the clocks of replicas and that of the database. */
const clockSlackMs = 86_400_000
const mostTries = 3
const removedAtOnce = 10_000

/** Drops whole days, all or nothing, and returns the number of records. Altered records are not dropped. */
export async function dropDays(parts: Dropping, { days, records }: Retention): Promise<number> {
  if (records !== undefined)
    throw new Error(
      'Retention by records is not possible in PostgreSQL, where whole days are dropped. Set "retention.days" instead',
    )
  if (days === undefined) return 0
  const { sql } = parts.postgres
  for (let tried = 1; tried <= mostTries; tried++) {
    const before = await beginningNumber(sql)
    try {
      const dropped = await dropOnce(parts, Math.max(1, Math.ceil(days)))
      if (dropped !== undefined) return dropped
    } catch (thrown) {
      // Another replica has dropped the same days meanwhile.
      if ((await beginningNumber(sql)) === before) throw thrown
    }
  }
  return 0
}

/** Returns undefined if another replica has written a checkpoint meanwhile. */
async function dropOnce({ postgres, signer, checkpoints }: Dropping, days: number): Promise<number | undefined> {
  const { sql } = postgres
  const [cut] = await sql<{ day: string; ms: number }>(
    `SELECT day::text AS day, (1000 * extract(epoch FROM day))::float8 AS ms FROM (SELECT ${today} - $1::int AS day) AS cut`,
    [days],
  )
  const old = cut ? await partitionsBefore(sql, cut.day) : []
  if (!cut || old.length === 0) return 0
  const names = old.filter(({ table }) => table === 'audit').map(({ name }) => name)
  const dropped = await droppedStreams(sql, names)
  const state = await verifyDropped(sql, signer, dropped, cut.ms + clockSlackMs)
  const [last] = await sql<{ number: number | null }>(
    "SELECT max(number)::float8 AS number FROM toolwire.audit_checkpoints WHERE at < $1::date::timestamp AT TIME ZONE 'UTC'",
    [cut.day],
  )
  const until = Math.max(last?.number ?? 0, state.from?.sequence ?? 0)
  const before = await foldCheckpoints(sql, signer, { until })
  const head = await checkpoints.last()
  const count = await postgres
    .transaction(async (sql) => {
      // Readers of the old days are not waited for, because there will be another try.
      await sql(`SET LOCAL lock_timeout = '2s'`)
      await lockPartitions(sql)
      for (const name of names) await sql(`LOCK TABLE toolwire.${name} IN SHARE MODE`)
      const found = await droppedStreams(sql, names)
      if (JSON.stringify(found) !== JSON.stringify(dropped))
        throw new Error('Records were added to an old day while that day was dropped. The next hourly run tries again')
      const gone = await goneStreams(sql, cut.day, { state, before, dropped })
      const begins = beginningOf(before, dropped, gone)
      const tombstone = newCheckpoint(head, { heads: {}, at: await clockOf(sql), begins }, signer)
      if (!(await putCheckpoint(sql, tombstone, {}, true))) throw new Overtaken()
      await sql('DELETE FROM toolwire.audit_streams WHERE stream = ANY($1::uuid[])', [gone])
      await sql('DELETE FROM toolwire.audit_heads WHERE stream = ANY($1::uuid[])', [gone])
      // Comes last, because nobody can write to the log from here on.
      for (const { name, table } of old) {
        await sql(`ALTER TABLE toolwire.${table} DETACH PARTITION toolwire.${name}`)
        await sql(`DROP TABLE toolwire.${name}`)
      }
      return dropped.reduce((sum, { first, sequence }) => sum + sequence - first + 1, 0)
    })
    .catch((thrown: unknown) => {
      if (thrown instanceof Overtaken) return undefined
      throw thrown
    })
  if (count !== undefined) await removeCheckpoints(sql, until)
  return count
}

class Overtaken extends Error {}

/** Verifies each stream up to the first signed head that is not before the end of the dropped records. */
async function verifyDropped(
  sql: Sql,
  signer: HeadSigner,
  dropped: readonly DroppedStream[],
  latest: number,
): Promise<SignedState> {
  const goals = new Map<string, AuditHead>()
  const ends = new Map(dropped.map(({ stream, sequence }) => [stream, sequence]))
  const state = await foldCheckpoints(sql, signer, {
    onHead: (stream, head) => {
      if (!goals.has(stream) && head.sequence >= (ends.get(stream) ?? Infinity)) goals.set(stream, head)
    },
  })
  for (const { stream, sequence, hash, at, next } of dropped) {
    const fault = (at: number, why: string) => new StreamFault(stream, at, `${why}. No old records are dropped`)
    const { from, head } = state.streams.get(stream) ?? {}
    const goal = goals.get(stream) ?? head
    if (!goal || goal.sequence < sequence) throw fault(sequence, `No checkpoint has signed record ${sequence} yet`)
    if (at > latest || (next !== null && next <= sequence))
      throw fault(sequence, `Record ${sequence} is stored under another day than it was written on`)
    await verifyRecords({ sql, progress: () => undefined }, stream, { from, goal, marks: [{ sequence, hash }] })
  }
  return state
}

type Gone = { readonly state: SignedState; readonly before: SignedState; readonly dropped: readonly DroppedStream[] }

/** Streams without records here or in later checkpoints, whose gateway has not written for days. */
async function goneStreams(sql: Sql, day: string, { state, before, dropped }: Gone): Promise<string[]> {
  const ends = new Map(dropped.map(({ stream, sequence }) => [stream, sequence]))
  return (await endedBefore(sql, day))
    .filter(({ stream, sequence }) => {
      const isDropped = (ends.get(stream) ?? before.streams.get(stream)?.from?.sequence) === sequence
      return isDropped && state.streams.get(stream)?.head?.sequence === before.streams.get(stream)?.head?.sequence
    })
    .map(({ stream }) => stream)
}

function beginningOf(before: SignedState, dropped: readonly DroppedStream[], gone: readonly string[]): LogBeginning {
  const ends = new Map(dropped.map((one) => [one.stream, one]))
  const names = new Set([...before.streams.keys(), ...ends.keys()])
  for (const stream of gone) names.delete(stream)
  const streams: Record<string, LogBeginning['streams'][string]> = {}
  for (const stream of names) {
    const { from, head } = before.streams.get(stream) ?? {}
    const end = ends.get(stream) ?? from
    streams[stream] = { from: end ? placeOf(end) : null, head: head ? placeOf(head) : null }
  }
  const { copied } = before
  const isLeft = copied && names.has(copied.stream)
  return { checkpoint: before.head ? placeOf(before.head) : null, streams, gone, ...(isLeft && { copied }) }
}

/** Removes checkpoints that nobody reads any more. */
async function removeCheckpoints(sql: Sql, until: number): Promise<void> {
  const some = `DELETE FROM toolwire.audit_checkpoints WHERE number IN (
    SELECT number FROM toolwire.audit_checkpoints WHERE number <= $1 ORDER BY number LIMIT ${removedAtOnce}) RETURNING 1`
  while ((await sql(some, [until])).length === removedAtOnce);
}
