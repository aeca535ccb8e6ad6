// Checks an audit log against the signed heads of a witness.
import type { JsonObject } from 'toolwire'
import { fileErrorReason } from '../../config/documents/read-document.js'
import { droppedHash } from '../../store/audit/retention.js'
import type { SignedHead } from '../../store/audit/signed-head.js'
import type { ExportVerdict } from '../../store/audit/verify-export.js'
import type { CheckpointContent, LogBeginning } from '../../store/postgres/audit/checkpoint.js'
import { droppedHeadHash } from '../../store/postgres/audit/checkpoint-heads.js'
import { checkWitness, type WitnessResult } from '../../store/witness/check-witness.js'
import { readHeads } from '../../store/witness/read-heads.js'
import type { ApiClient } from '../api/api-client.js'
import { type CommandInput, usageProblem } from '../command.js'
import { numberIn, stringIn } from '../json-members.js'
import { witnessLocationFrom } from './witness.js'

const mostAtOnce = 1_000

export type WitnessContent = {
  readonly heads: readonly SignedHead[]
  /** The number of lines without their end. Nothing is known about the heads that would be in them. */
  readonly incomplete: number
}

/** The heads of a witness in log order; throws if the witness itself is damaged or empty. */
export async function readWitness(text: string, input: Pick<CommandInput, 'cwd'>): Promise<WitnessContent> {
  const read = await readHeads(witnessLocationFrom(text, input)).catch((thrown: unknown) => {
    throw usageProblem(`The witness ${text} cannot be read: ${fileErrorReason(thrown)}`)
  })
  if ('line' in read)
    throw usageProblem(`Line ${read.line} of the witness ${text} is not a signed head. The file was altered, or is not a witness`)
  if (read.heads.length === 0)
    throw usageProblem(`The witness ${text} has no heads, so there is nothing to verify the log against`)
  return { ...read, heads: [...read.heads].sort((one, other) => one.sequence - other.sequence) }
}

/** Checks the heads at the gateway, and returns the first fault. */
export async function checkAtGateway(api: ApiClient, heads: readonly SignedHead[]): Promise<JsonObject> {
  let dropped = 0
  for (let at = 0; at < heads.length; at += mostAtOnce) {
    const some = heads.slice(at, at + mostAtOnce).map((head) => ({ ...head }))
    const verdict = await api.request('/audit/witnessed', { method: 'POST', body: { heads: some } })
    if (verdict.ok !== true) return verdict
    dropped += numberIn(verdict, 'dropped') ?? 0
  }
  return { ok: true, heads: heads.length, dropped }
}

/** Checks the heads against an exported log, which the caller has verified. */
export async function checkExport(
  path: string,
  heads: readonly SignedHead[],
  { from, key }: Pick<ExportVerdict, 'from' | 'key'>,
): Promise<WitnessResult> {
  const wanted = new Set(heads.map(({ sequence }) => sequence))
  const hashes = new Map<number, string>()
  let last = 0
  const { machine } = await import('toolwire/relay')
  const { linesOf } = await import('../../store/audit/verify-export.js')
  const input = (await machine.openRegular(path)).createReadStream()
  let begins: LogBeginning | undefined
  let isHere = true
  // The verification has read these lines too. With other ends of lines, a part of a record could pass for a record.
  for await (const line of linesOf(input)) {
    // In a log that several gateways share, heads are for checkpoints, and for records copied from a data directory.
    if (line.startsWith('{"stream":')) isHere = line.startsWith(`{"stream":"${begins?.copied?.stream}"`)
    if (line.startsWith('{"checkpoint":') && line.includes('\\"begins\\":')) begins = beginningIn(line) ?? begins
    if (!isHere) continue
    const { 1: sequence } = /^\{"(?:sequence|checkpoint)":([1-9]\d{0,15}),/.exec(line) ?? []
    const { 1: hash } = /"hash":"([0-9a-f]{64})"\}$/.exec(line.slice(-80)) ?? []
    if (sequence === undefined || hash === undefined) continue
    last = Math.max(last, Number(sequence))
    if (wanted.has(Number(sequence)) && !hashes.has(Number(sequence))) hashes.set(Number(sequence), hash)
  }
  const droppedIn = (sequence: number) => (from ? droppedHash(from, sequence) : droppedHeadHash(begins, sequence))
  const hashOf = async (sequence: number) => {
    const dropped = droppedIn(sequence)
    return dropped === undefined ? hashes.get(sequence) : dropped
  }
  return checkWitness(heads, { publicKey: from?.key ?? key, last, hashOf })
}

/** The line is verified elsewhere. */
function beginningIn(line: string): LogBeginning | undefined {
  const { text } = JSON.parse(line) as { text: string }
  return (JSON.parse(text) as CheckpointContent).begins
}

/** The fault that comes first in the log; a dropped head and an empty file are none. */
export function firstFault(log: JsonObject, witnessed: JsonObject): JsonObject {
  if (witnessed.ok === true) return log.ok === true ? { ...log, witnessed } : log
  const [own, its] = [numberIn(log, 'sequence') ?? 0, numberIn(witnessed, 'sequence') ?? 0]
  const isOwn = log.ok !== true && log.dropped !== true && log.empty !== true && own <= its
  return isOwn ? log : { ok: false, of: 'head', sequence: its, why: stringIn(witnessed, 'why') ?? '' }
}
