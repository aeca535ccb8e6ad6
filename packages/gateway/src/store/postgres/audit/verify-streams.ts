import type { AuditHead, AuditVerdict } from 'toolwire/guard'
import { lastPassing } from '../../../bounds/last-passing.js'
import { type LogVerdict, requireRecords } from '../../audit/require-records.js'
import type { HeadSigner, SignedHead } from '../../audit/signed-head.js'
import type { VerifyStored } from '../../audit/verify-log.js'
import type { Sql } from '../connection.js'
import { beginningNumber, CheckpointFault, foldCheckpoints, otherHead, type SignedState } from './fold-checkpoints.js'
import { rewrittenFault, StreamFault, verifyStream } from './verify-stream.js'

const streamsAtOnce = 500

export type VerifyParts = {
  readonly sql: Sql
  readonly signer: HeadSigner
  /** The last record of this replica and the last checkpoint that it has seen; both must be there in any case. */
  readonly own: () => { readonly stream: string; readonly head: AuditHead | undefined; readonly seen: AuditHead | undefined }
}

/** Checks that all checkpoints and all streams are as they were written. */
export async function verifyStreams(parts: VerifyParts, { head: wanted, onProgress }: VerifyStored = {}): Promise<LogVerdict> {
  if (wanted && 'signature' in wanted && !parts.signer.isOurs(wanted as SignedHead, 'head'))
    return faultOf(new CheckpointFault(wanted.sequence, 'The head was not signed by this gateway'))
  for (;;) {
    const before = await beginningNumber(parts.sql)
    try {
      return await verifyOnce(parts, wanted, onProgress)
    } catch (thrown) {
      if (!(thrown instanceof CheckpointFault || thrown instanceof StreamFault)) throw thrown
      // Another replica has dropped old days meanwhile, in any number of steps.
      if ((await beginningNumber(parts.sql)) !== before) continue
      return faultOf(thrown instanceof StreamFault && thrown.isRewritten ? await firstRewritten(parts, thrown) : thrown)
    }
  }
}

function faultOf(fault: CheckpointFault | StreamFault): AuditVerdict {
  const { message: why, before: head } = fault
  if (fault instanceof StreamFault) {
    const { stream, sequence } = fault
    return { ok: false, line: sequence, sequence, why, head, ...{ stream } }
  }
  return { ok: false, line: fault.number, sequence: fault.number, why, head, ...{ checkpoint: fault.number } }
}

/** Finds the first signed record that differs now. All later ones differ too, because each contains the hash before it. */
async function firstRewritten({ sql, signer }: VerifyParts, fault: StreamFault): Promise<StreamFault> {
  const heads: AuditHead[] = []
  const { stream } = fault
  await foldCheckpoints(sql, signer, { onHead: (of, head) => of === stream && heads.push(head) })
  const isKept = async ({ sequence, hash }: AuditHead) =>
    (
      await sql(`SELECT 1 FROM toolwire.audit WHERE stream = $1 AND sequence = $2 AND hash = decode($3, 'hex')`, [
        stream,
        sequence,
        hash,
      ])
    ).length > 0
  const other = heads.findIndex(({ sequence }) => sequence >= fault.sequence)
  const kept = await lastPassing(-1, other, (nth) => isKept(heads[nth]!))
  return rewrittenFault(stream, heads[kept + 1]?.sequence ?? fault.sequence)
}

async function verifyOnce(
  { sql, signer, own }: VerifyParts,
  wanted: AuditHead | undefined,
  onProgress: (entries: number) => void = () => undefined,
): Promise<LogVerdict> {
  const { stream: ownStream, head: ownHead, seen } = own()
  // Read before the checkpoints, which only grow.
  const noted = await sql<{ stream: string; sequence: number }>(
    'SELECT stream, sequence::float8 AS sequence FROM toolwire.audit_heads',
  )
  const state = await foldCheckpoints(sql, signer, { wanted: [wanted, seen].filter((head) => head !== undefined) })
  const { copied } = state
  const copiedHead = copied && wanted && wanted.sequence <= copied.last ? { stream: copied.stream, head: wanted } : undefined
  const begin = copiedHead ? state.streams.get(copiedHead.stream)?.from : state.from
  if (wanted && wanted.sequence < (begin?.sequence ?? 0))
    throw new CheckpointFault(wanted.sequence, 'The log begins after this head. Check a newer head')
  if (wanted && wanted.sequence === begin?.sequence && wanted.hash !== begin.hash)
    throw new CheckpointFault(wanted.sequence, otherHead)
  for (const { stream, sequence } of noted)
    if (sequence > (state.streams.get(stream)?.head?.sequence ?? 0))
      throw new StreamFault(
        stream,
        sequence,
        `No checkpoint has signed record ${sequence}, though the list of signed heads names it`,
      )
  let read = 0
  let entries = 0
  let unsigned = 0
  const progress = (more: number) => {
    read += more
    onProgress(read)
  }
  const streams = await allStreams(sql, state)
  if (ownHead) streams.add(ownStream)
  for (const stream of streams) {
    const signed = state.streams.get(stream) ?? { from: undefined, head: undefined }
    const known = stream === ownStream ? ownHead : stream === copiedHead?.stream ? copiedHead.head : undefined
    const found = await verifyStream({ sql, signer, progress }, stream, signed, known)
    entries += found.entries
    unsigned += found.unsigned
  }
  const counts = { streams: streams.size, checkpoints: state.checkpoints, ...(unsigned > 0 && { unsigned }) }
  const verdict = { ok: true, entries, head: state.head, ...counts } as const
  return state.head ? verdict : requireRecords(verdict)
}

/** Streams that were signed, that have an end, or that only have records. */
async function allStreams(sql: Sql, { streams }: SignedState): Promise<Set<string>> {
  const all = new Set(streams.keys())
  for (const { stream } of await sql<{ stream: string }>('SELECT stream FROM toolwire.audit_streams')) all.add(stream)
  for (const stream of await streamsIn(sql, 'audit')) all.add(stream)
  return all
}

const nil = '00000000-0000-0000-0000-000000000000'

/** Streams with records in the table. Goes from one stream to the next by the index, without reading records between them. */
export async function streamsIn(sql: Sql, table: string): Promise<string[]> {
  const streams: string[] = []
  for (;;) {
    const found = await sql<{ stream: string }>(
      `WITH RECURSIVE s(stream) AS (
         (SELECT stream FROM toolwire.${table} WHERE stream ${streams.length === 0 ? '>=' : '>'} $1::uuid ORDER BY stream LIMIT 1)
         UNION ALL SELECT (SELECT a.stream FROM toolwire.${table} a WHERE a.stream > s.stream ORDER BY a.stream LIMIT 1)
         FROM s WHERE s.stream IS NOT NULL
       ) SELECT stream FROM s WHERE stream IS NOT NULL LIMIT ${streamsAtOnce}`,
      [streams.at(-1) ?? nil],
    )
    streams.push(...found.map(({ stream }) => stream))
    if (found.length < streamsAtOnce) return streams
  }
}
