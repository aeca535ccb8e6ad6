// A log against the signed heads that a witness has kept.
import { createInterface } from 'node:readline'
import type { JsonObject } from 'toolwire'
import { readHeads } from '../../gateway/witness/read-heads.js'
import type { SignedHead } from '../../store/signed-head.js'
import { checkWitnessed, type WitnessedVerdict } from '../../store/witnessed.js'
import type { Api } from '../api/api.js'
import { misused } from '../exit-codes.js'
import { numberIn, wordIn } from '../json.js'
import type { Input } from '../spec.js'
import { placeFrom } from './witness.js'

const mostAtOnce = 1_000

/** The heads of the witness, in the order of the log; or what is wrong with the witness itself. */
export async function witnessedBy(text: string, input: Pick<Input, 'cwd'>): Promise<readonly SignedHead[]> {
  const read = await readHeads(placeFrom(text, input)).catch((thrown: unknown) => {
    throw misused(`What the witness ${text} has cannot be read: ${thrown instanceof Error ? thrown.message : thrown}`)
  })
  if ('line' in read)
    throw misused(`Line ${read.line} of the witness ${text} is no signed head: it was changed, or is another file`)
  if (read.heads.length === 0) throw misused(`The witness ${text} has no heads, so there is nothing to verify the log against`)
  return [...read.heads].sort((one, other) => one.sequence - other.sequence)
}

/** Of the gateway; with the first fault that any of the heads shows. */
export async function checkedAt(api: Api, heads: readonly SignedHead[]): Promise<JsonObject> {
  let dropped = 0
  for (let at = 0; at < heads.length; at += mostAtOnce) {
    const some = heads.slice(at, at + mostAtOnce).map((head) => ({ ...head }))
    const verdict = await api.ask('/audit/witnessed', { method: 'POST', body: { heads: some } })
    if (verdict.ok !== true) return verdict
    dropped += numberIn(verdict, 'dropped') ?? 0
  }
  return { ok: true, heads: heads.length, dropped }
}

/** Of an exported log, which is verified besides. */
export async function checkedIn(path: string, heads: readonly SignedHead[]): Promise<WitnessedVerdict> {
  const wanted = new Set(heads.map(({ sequence }) => sequence))
  const hashes = new Map<number, string>()
  let last = 0
  const { openRegular } = await import('toolwire/node')
  const input = (await openRegular(path)).createReadStream()
  for await (const line of createInterface({ input, crlfDelay: Number.POSITIVE_INFINITY })) {
    const { 1: sequence } = /^\{"sequence":([1-9]\d{0,15}),/.exec(line) ?? []
    const { 1: hash } = /"hash":"([0-9a-f]{64})"\}$/.exec(line.slice(-80)) ?? []
    if (sequence === undefined || hash === undefined) continue
    last = Number(sequence)
    if (wanted.has(last)) hashes.set(last, hash)
  }
  return checkWitnessed(heads, { publicKey: undefined, from: undefined, last, hashOf: async (sequence) => hashes.get(sequence) })
}

/** Whichever fault comes first in the log. */
export function together(log: JsonObject, witnessed: JsonObject): JsonObject {
  if (witnessed.ok === true) return log.ok === true ? { ...log, witnessed } : log
  const [own, its] = [numberIn(log, 'sequence') ?? 0, numberIn(witnessed, 'sequence') ?? 0]
  return log.ok !== true && own <= its ? log : { ok: false, sequence: its, why: wordIn(witnessed, 'why') ?? '' }
}
