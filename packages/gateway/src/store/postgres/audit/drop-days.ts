// Drops old days whole. A signed checkpoint, the tombstone, then says where each stream begins.
import type { AuditHead } from 'toolwire/guard'
import { lastPassing } from '../../../bounds/last-passing.js'
import type { Retention } from '../../audit/retention.js'
import type { HeadSigner } from '../../audit/signed-head.js'
import { clockOf, type Postgres, type Sql } from '../connection.js'
import { isDeadlock } from '../failures.js'
import { today } from './audit-tables.js'
import { type LogBeginning, newCheckpoint, placeOf } from './checkpoint.js'
import { type checkpointWriter, putCheckpoint } from './checkpoint-writer.js'
import { type DroppedStream, droppedStreams, endedBefore } from './dropped-streams.js'
import { beginningNumber, foldCheckpoints, type SignedState } from './fold-checkpoints.js'
import { lockPartitions, type Partition, partitionsBefore } from './partitions.js'
import { StreamFault, verifyRecords } from './verify-stream.js'

type Dropping = {
  readonly postgres: Postgres
  readonly signer: HeadSigner
  readonly checkpoints: Pick<ReturnType<typeof checkpointWriter>, 'last'>
}

/** The largest difference between the clocks of replicas and that of the database. */
const clockSlackMs = 86_400_000
const mostTries = 3
/** Days that one transaction drops, because a transaction has locks for a limited number of tables. */
const daysAtOnce = 7
const removedAtOnce = 10_000

/** Drops whole days and returns the number of records. Altered records are not dropped. */
export async function dropDays(parts: Dropping, { days, records }: Retention): Promise<number> {
  if (records !== undefined)
    throw new Error(
      'Retention by records is not possible in PostgreSQL, where whole days are dropped. Set "retention.days" instead',
    )
  if (days === undefined) return 0
  const { sql } = parts.postgres
  let dropped = 0
  const onDropped = (count: number) => {
    dropped += count
  }
  for (let deadlocks = 0; ; ) {
    const before = await beginningNumber(sql)
    try {
      await dropOld(parts, Math.max(1, Math.ceil(days)), onDropped)
      return dropped
    } catch (thrown) {
      // A deadlock is with a replica that is dropping days.
      const isTriedAgain = isDeadlock(thrown) && ++deadlocks < mostTries
      // Some days were dropped meanwhile, here or by another replica.
      if (!isTriedAgain && (await beginningNumber(sql)) === before) throw thrown
    }
  }
}

/** Some days that are dropped together, all or nothing. */
type Step = {
  readonly tables: readonly Partition[]
  readonly names: readonly string[]
  readonly dropped: readonly DroppedStream[]
}

/** Verifies all old days, and then drops them in steps. */
async function dropOld(parts: Dropping, days: number, onDropped: (records: number) => void): Promise<void> {
  const { sql } = parts.postgres
  const [cut] = await sql<{ day: string; ms: number }>(
    `SELECT day::text AS day, (1000 * extract(epoch FROM day))::float8 AS ms FROM (SELECT ${today} - $1::int AS day) AS cut`,
    [days],
  )
  const steps = cut ? await stepsOf(sql, await partitionsBefore(sql, cut.day)) : []
  if (!cut || steps.length === 0) return
  const until = await lastCheckpointBefore(sql, cut.day)
  const verified = await verifyDropped(parts, steps, { until, latest: cut.ms + clockSlackMs })
  const ends = new Map<string, DroppedStream>()
  for (const step of steps) {
    for (const one of step.dropped) ends.set(one.stream, one)
    await dropStep(parts, step, { ...verified, ends, goneBefore: step === steps.at(-1) ? cut.day : undefined })
    onDropped(step.dropped.reduce((sum, { first, sequence }) => sum + sequence - first + 1, 0))
  }
  await removeCheckpoints(sql, Math.max(until, verified.before.from?.sequence ?? 0))
}

async function stepsOf(sql: Sql, old: readonly Partition[]): Promise<Step[]> {
  const days = [...new Set(old.map(({ day }) => day))]
  const steps: Step[] = []
  for (let nth = 0; nth < days.length; nth += daysAtOnce) {
    const some = new Set(days.slice(nth, nth + daysAtOnce))
    const tables = old.filter(({ day }) => some.has(day))
    const names = tables.filter(({ table }) => table === 'audit').map(({ name }) => name)
    steps.push({ tables, names, dropped: await droppedStreams(sql, names) })
  }
  return steps
}

/** Number of the last checkpoint that was written before this day. */
async function lastCheckpointBefore(sql: Sql, day: string): Promise<number> {
  const [span] = await sql<{ first: number | null; last: number | null }>(
    'SELECT min(number)::float8 AS first, max(number)::float8 AS last FROM toolwire.audit_checkpoints',
  )
  return lastPassing((span?.first ?? 1) - 1, (span?.last ?? 0) + 1, async (number) => {
    const [found] = await sql<{ isBefore: boolean }>(
      `SELECT at < $2::date::timestamp AT TIME ZONE 'UTC' AS "isBefore" FROM toolwire.audit_checkpoints
       WHERE number <= $1 ORDER BY number DESC LIMIT 1`,
      [number, day],
    )
    return found?.isBefore === true
  })
}

type DroppingStep = Verified & {
  /** The last dropped record of each stream, with those of this step. */
  readonly ends: ReadonlyMap<string, DroppedStream>
  /** Streams that ended before this day are gone, too. */
  readonly goneBefore: string | undefined
}

async function dropStep(
  { postgres, signer, checkpoints }: Dropping,
  { tables, names, dropped }: Step,
  about: DroppingStep,
): Promise<void> {
  const drop = async (sql: Sql) => {
    // Readers of the old days are not waited for, because there will be another try.
    await sql(`SET LOCAL lock_timeout = '2s'`)
    await lockPartitions(sql)
    for (const name of names) await sql(`LOCK TABLE toolwire.${name} IN SHARE MODE`)
    const found = await droppedStreams(sql, names)
    if (JSON.stringify(found) !== JSON.stringify(dropped))
      throw new Error('Records were added to an old day while that day was dropped. The next hourly run tries again')
    const gone = await goneStreams(sql, about)
    const begins = beginningOf(about, gone)
    const content = { heads: {}, at: await clockOf(sql), begins }
    // Read last, because other replicas write checkpoints all the time.
    const tombstone = newCheckpoint(await checkpoints.last(), content, signer)
    if (!(await putCheckpoint(sql, tombstone, {}, true))) throw new Overtaken()
    await sql('DELETE FROM toolwire.audit_streams WHERE stream = ANY($1::uuid[])', [gone])
    await sql('DELETE FROM toolwire.audit_heads WHERE stream = ANY($1::uuid[])', [gone])
    // Comes last, because nobody can write to the log from here on.
    for (const { name, table } of tables) {
      await sql(`ALTER TABLE toolwire.${table} DETACH PARTITION toolwire.${name}`)
      await sql(`DROP TABLE toolwire.${name}`)
    }
  }
  for (let tried = 1; ; tried++)
    try {
      return await postgres.transaction(drop)
    } catch (thrown) {
      if (!(thrown instanceof Overtaken) || tried === mostTries) throw thrown
    }
}

class Overtaken extends Error {
  constructor() {
    super('Another replica wrote a checkpoint each time that old days were dropped. The next hourly run tries again')
  }
}

type Verified = {
  /** The checkpoints that are dropped as well. */
  readonly before: SignedState
  readonly state: SignedState
}

/** Verifies each stream up to the first signed head that is not before the end of the dropped records. */
async function verifyDropped(
  { postgres: { sql }, signer }: Dropping,
  steps: readonly Step[],
  { until, latest }: { readonly until: number; readonly latest: number },
): Promise<Verified> {
  const goals = new Map<string, AuditHead>()
  const dropped = steps.flatMap((step) => step.dropped)
  const ends = new Map(dropped.map((one) => [one.stream, one]))
  const onHead = (stream: string, head: AuditHead) => {
    if (!goals.has(stream) && head.sequence >= (ends.get(stream)?.sequence ?? Infinity)) goals.set(stream, head)
  }
  const before = await foldCheckpoints(sql, signer, { until, onHead })
  const state = await foldCheckpoints(sql, signer, { since: before, onHead })
  const fault = ({ stream, sequence }: DroppedStream, why: string) =>
    new StreamFault(stream, sequence, `${why}. No old records are dropped`)
  for (const one of dropped)
    if (one.at > latest || (one.next !== null && one.next <= one.sequence))
      throw fault(one, `Record ${one.sequence} is stored under another day than it was written on`)
  for (const [stream, end] of ends) {
    const { from, head } = state.streams.get(stream) ?? {}
    const goal = goals.get(stream) ?? head
    if (!goal || goal.sequence < end.sequence) throw fault(end, `No checkpoint has signed record ${end.sequence} yet`)
    const marks = dropped.filter((one) => one.stream === stream).map(({ sequence, hash }) => ({ sequence, hash }))
    await verifyRecords({ sql, progress: () => undefined }, stream, { from, goal, marks })
  }
  return { before, state }
}

/** Streams without records here or in later checkpoints, whose gateway has not written for days. */
async function goneStreams(sql: Sql, { before, state, ends, goneBefore }: DroppingStep): Promise<string[]> {
  if (goneBefore === undefined) return []
  return (await endedBefore(sql, goneBefore))
    .filter(({ stream, sequence }) => {
      const isDropped = (ends.get(stream) ?? before.streams.get(stream)?.from)?.sequence === sequence
      return isDropped && state.streams.get(stream)?.head?.sequence === before.streams.get(stream)?.head?.sequence
    })
    .map(({ stream }) => stream)
}

function beginningOf({ before, ends }: DroppingStep, gone: readonly string[]): LogBeginning {
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
