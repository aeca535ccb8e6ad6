import type { AuditEntry, AuditHead, AuditVerdict } from 'toolwire/guard'
import type { types } from 'toolwire/relay'
import type { VerifiedRange } from '../database/audit/verify-rows.js'
import { checkWitness, type WitnessResult } from '../witness/check-witness.js'
import { type LogVerdict, requireRecords } from './require-records.js'
import { headFormatFile } from './resign-old-head.js'
import { droppedHash, plainHead } from './retention.js'
import { type HeadSigner, parseSignedHead, type SignedHead } from './signed-head.js'

export type VerifyStored = {
  /** A head kept elsewhere, to show that the end of the log is still there. */
  readonly head?: AuditHead | SignedHead
  readonly onProgress?: (entries: number) => void
}

/** Reads the log, from this thread or another one. */
export type LogReads = {
  head(): Promise<AuditHead | undefined>
  entry(sequence: number): Promise<AuditEntry | undefined>
  mark(): Promise<string | undefined>
  verify(range: VerifiedRange, onProgress?: (entries: number) => void): Promise<AuditVerdict>
}

export type LogVerifier = Omit<ReturnType<typeof logVerifier>, 'from'>

export function logVerifier(reads: LogReads, signer: HeadSigner, head: () => AuditHead | undefined) {
  const mark = async () => readRetentionMark(await reads.mark(), signer)

  /** The last dropped record, after which the log begins. */
  async function from(): Promise<SignedHead | undefined> {
    const found = await mark()
    if (typeof found === 'string') throw new Error(`${found}. Verify the log: toolwire audit verify`)
    return found
  }

  /** The hash of the record with this sequence: null if the record was dropped, undefined if it is not written yet. */
  async function headHash(sequence: number): Promise<string | null | undefined> {
    // `verify` reports an invalid mark.
    const dropped = droppedHash(await from().catch(() => undefined), sequence)
    return dropped === undefined ? (await reads.entry(sequence))?.hash : dropped
  }

  return {
    from,
    headHash,
    async verify({ head: wanted, onProgress }: VerifyStored = {}): Promise<LogVerdict> {
      if (wanted && 'signature' in wanted && !signer.isOurs(wanted, 'head'))
        return unsigned(wanted.sequence, 'The head was not signed by this gateway')
      const begin = await mark()
      if (typeof begin === 'string') return unsigned(1, begin)
      // Records that this process has written must be there in any case.
      const own = head()
      const range = { from: plainHead(begin), head: plainHead(wanted) ?? own }
      const verdict = requireRecords(await reads.verify(range, onProgress), range.from)
      return wanted && own && verdict.ok ? withOwnHead(reads, verdict, own) : verdict
    },
    checkWitnessed: async (heads: readonly SignedHead[]): Promise<WitnessResult> =>
      checkWitness(heads, {
        publicKey: signer.publicKey,
        last: (await reads.head())?.sequence ?? 0,
        hashOf: headHash,
      }),
  }
}

async function withOwnHead({ entry }: LogReads, verdict: AuditVerdict, own: AuditHead): Promise<AuditVerdict> {
  const kept = await entry(own.sequence)
  if (kept?.hash === own.hash) return verdict
  const sequence = kept ? own.sequence : (verdict.head?.sequence ?? 0) + 1
  const why = kept ? 'differs from the one that was written: the log was rewritten' : 'was written, and the log ends before it'
  return { ok: false, line: sequence, sequence, why: `Record ${own.sequence} ${why}`, head: undefined }
}

/** Returns the mark, or the reason why it is invalid. */
export function readRetentionMark(text: string | undefined, { isOurs }: HeadSigner): SignedHead | string | undefined {
  if (text === undefined) return undefined
  const mark = parseSignedHead(text)
  if (mark && isOurs(mark, 'retention')) return mark
  return mark && isOurs(mark, 'head') ? wrongPurpose : forged
}

const forged = 'Old records are missing, and the retention mark was not signed by this gateway'
const wrongPurpose =
  'Old records are missing, and a signed head is in the place of the retention mark: the beginning of the log was cut off, or a backup of ' +
  `an older version was restored. Only after such a restore, delete ${headFormatFile} in the data directory and start the gateway again`

const unsigned = (sequence: number, why: string): types.AuditFault => ({ ok: false, line: 1, sequence, why, head: undefined })
