import { setImmediate } from 'node:timers/promises'
import type { AuditHead } from 'toolwire/guard'
import type { HeadSigner } from '../../audit/signed-head.js'
import type { Sql } from '../connection.js'
import {
  type Checkpoint,
  type CheckpointContent,
  checkpointsAfter,
  headAt,
  type LogBeginning,
  newestTombstone,
  readCheckpoint,
} from './checkpoint.js'

/** Small, so that other work runs between the signatures. */
const pageSize = 100

/** The signed part of a stream. */
export type SignedStream = {
  /** The last record that was dropped. */
  readonly from: AuditHead | undefined
  readonly head: AuditHead | undefined
}

/** The combined contents of all checkpoints. */
export type SignedState = {
  /** The last checkpoint that was dropped. */
  readonly from: AuditHead | undefined
  readonly head: AuditHead | undefined
  readonly streams: ReadonlyMap<string, SignedStream>
  readonly checkpoints: number
  /** Number of the tombstone that says where the log begins. */
  readonly begunBy: number | undefined
  readonly copied: LogBeginning['copied']
}

/** A checkpoint is not as it was written. */
export class CheckpointFault extends Error {
  override readonly name = 'CheckpointFault'
  readonly number: number
  readonly before: AuditHead | undefined

  constructor(number: number, why: string, before?: AuditHead) {
    super(`Checkpoint ${number}: ${why}`)
    this.number = number
    this.before = before
  }
}

type FoldOptions = {
  /** The last checkpoint to read; without it, all are read. */
  readonly until?: number
  /** Continues after the checkpoints that were read before. */
  readonly since?: SignedState
  /** Checkpoints that must be there. */
  readonly wanted?: readonly AuditHead[]
  /** Called with every signed head, in order. */
  readonly onHead?: (stream: string, head: AuditHead) => void
}

/** Reads the checkpoints from the first to the last. Throws a `CheckpointFault` for the first that is not as it was written. */
export async function foldCheckpoints(
  sql: Sql,
  signer: HeadSigner,
  { until, since, wanted = [], onHead }: FoldOptions = {},
): Promise<SignedState> {
  const begun = since ?? (await newestBeginning(sql, signer))
  const streams = new Map(begun.streams)
  let { head, checkpoints } = begun
  const checkWanted = (one: AuditHead) => {
    if (wanted.some(({ sequence, hash }) => sequence === one.sequence && hash !== one.hash))
      throw new CheckpointFault(one.sequence, otherHead)
  }
  if (head) checkWanted(head)
  // Checkpoints before `from` may still have to be removed.
  for (let after = head?.sequence ?? 0; ; ) {
    const page = await checkpointsAfter(sql, after, { most: pageSize, until })
    for (const one of page) {
      const content = readNext(one, head, signer)
      for (const [stream, place] of Object.entries(content.heads)) {
        const known = streams.get(stream)
        if (place[0] <= (known?.head?.sequence ?? 0))
          throw new CheckpointFault(one.number, `The checkpoint sets stream ${stream} back to an earlier record`, head)
        const signed = { sequence: place[0], hash: place[1] }
        streams.set(stream, { from: known?.from, head: signed })
        onHead?.(stream, signed)
      }
      head = { sequence: one.number, hash: one.hash }
      checkWanted(head)
      checkpoints++
    }
    await setImmediate()
    if (page.length === 0) break
    after = page.at(-1)?.number ?? after
  }
  const last = head?.sequence ?? 0
  if (last < (begun.begunBy ?? 0) && until === undefined) throw new CheckpointFault(last + 1, cutOff, head)
  const missing = wanted.find(({ sequence }) => sequence > last)
  if (missing && until === undefined)
    throw new CheckpointFault(last + 1, `The log ends before checkpoint ${missing.sequence}, which was written`, head)
  return { ...begun, head, streams, checkpoints }
}

export const otherHead = 'The checkpoint differs from the one that was written: the log was rewritten'
const cutOff = 'The checkpoint that says where the log begins is missing'

function readNext(found: Checkpoint, head: AuditHead | undefined, signer: HeadSigner): CheckpointContent {
  const number = (head?.sequence ?? 0) + 1
  const fault = (why: string) => new CheckpointFault(number, why, head)
  if (found.number !== number) throw fault(`The checkpoint is missing: checkpoint ${found.number} is in its place`)
  const content = readCheckpoint(found, signer)
  if (typeof content === 'string') throw fault(content)
  if (content.previous !== (head?.hash ?? null)) throw fault('The checkpoint names another hash for the checkpoint before it')
  return content
}

/** The state before the first checkpoint, according to the newest tombstone. */
async function newestBeginning(sql: Sql, signer: HeadSigner): Promise<SignedState> {
  const found = await newestTombstone(sql)
  const content = found && readCheckpoint(found, signer)
  if (typeof content === 'string') throw new CheckpointFault(found?.number ?? 0, content)
  const begins = content?.begins
  if (content && !begins) throw new CheckpointFault(content.number, 'The checkpoint does not say where the log begins')
  const from = headAt(begins?.checkpoint)
  const streams = new Map<string, SignedStream>()
  for (const [stream, { from, head }] of Object.entries(begins?.streams ?? {}))
    streams.set(stream, { from: headAt(from), head: headAt(head) })
  return { from, head: from, streams, checkpoints: 0, begunBy: found?.number, copied: begins?.copied }
}

/** Number of the tombstone in force, or 0 if nothing was dropped yet. It changes while another replica drops old days. */
export async function beginningNumber(sql: Sql): Promise<number> {
  const [found] = await sql<{ number: number | null }>(
    'SELECT max(number)::float8 AS number FROM toolwire.audit_checkpoints WHERE begins',
  )
  return found?.number ?? 0
}
