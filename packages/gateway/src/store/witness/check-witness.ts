import type { KeyObject } from 'node:crypto'
import { yieldWhenBusy } from 'toolwire/relay'
import { isSignedBy, publicKeyOf, type SignedHead } from '../audit/signed-head.js'

/**
 * A log with all witnessed heads, and the number of dropped heads, which cannot be checked. Or the first altered record that the heads
 * reveal, with the index of the head, counted from 0.
 */
export type WitnessResult = Awaited<ReturnType<typeof checkWitness>>

type CheckedLog = {
  /** The key of the gateway; without it, the heads only have to agree on one key. */
  readonly publicKey: string | undefined
  readonly last: number
  /** The hash of a record; null if the record was dropped. */
  hashOf(sequence: number): Promise<string | null | undefined>
}

/** Finds the first record that differs from its witnessed head. */
export async function checkWitness(heads: readonly SignedHead[], log: CheckedLog) {
  const inOrder = heads.map((head, index) => ({ head, index })).sort((one, other) => one.head.sequence - other.head.sequence)
  const key = log.publicKey ?? heads[0]?.key
  let dropped = 0
  let since: number | undefined
  // Importing a key takes as long as checking a signature.
  const keys = new Map<string, KeyObject>()
  const rest = yieldWhenBusy()
  for (const { head, index } of inOrder) {
    const pause = rest()
    if (pause) await pause
    const { sequence, hash } = head
    const after = since === undefined ? '' : `; heads up to ${since} match the witness`
    const fault = (why: string, at = sequence) => ({ ok: false, sequence: at, why: `${why}${after}`, index }) as const
    const signer = keys.get(head.key) ?? publicKeyOf(head.key)
    keys.set(head.key, signer)
    if (!isSignedBy(head, signer)) return fault(`Head ${sequence} of the witness is without a valid signature`)
    if (head.key !== key) return fault(`Head ${sequence} was signed with another key: the key of the log was replaced`)
    if (sequence > log.last) return fault(`The log ends before head ${sequence}, which was witnessed`, log.last + 1)
    const found = await log.hashOf(sequence)
    if (found === null) {
      dropped++
      continue
    }
    if (found === undefined) return fault(`Head ${sequence}, which was witnessed, is missing`)
    if (found !== hash) return fault(`Head ${sequence} differs from the one that was witnessed: the log was rewritten`)
    since = sequence
  }
  return { ok: true, heads: heads.length, dropped } as const
}
