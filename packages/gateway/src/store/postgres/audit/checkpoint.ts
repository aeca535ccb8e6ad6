import { createHash } from 'node:crypto'
import type { AuditHead } from 'toolwire/guard'
import type { HeadSigner } from '../../audit/signed-head.js'

type Place = readonly [sequence: number, hash: string]

/** What a signed record of the heads of streams says. Only heads that have changed since the one before are in it. */
export type CheckpointContent = {
  readonly number: number
  /** Hash of the one before. */
  readonly previous: string | null
  readonly heads: { readonly [stream: string]: Place }
  /** Milliseconds since 1970, by the clock of the database. */
  readonly at: number
  /** The public key. */
  readonly key: string
  /** Old days were dropped: here the log begins now. */
  readonly begins?: LogBeginning
}

/** A tombstone for what was dropped. */
export type LogBeginning = {
  /** The last checkpoint that was dropped. */
  readonly checkpoint: Place | null
  readonly streams: {
    readonly [stream: string]: {
      /** The last record that was dropped. */
      readonly from: Place | null
      /** What the dropped checkpoints have said of it. */
      readonly head: Place | null
    }
  }
  /** Streams of which nothing is left. */
  readonly gone: readonly string[]
  /** The log of a data directory was copied here: heads up to this number are those of its records, in this stream. */
  readonly copied?: { readonly stream: string; readonly last: number }
}

/** As it is kept: exactly the text that was hashed and signed. */
export type Checkpoint = { readonly number: number; readonly hash: string; readonly text: string; readonly signature: string }

export function newCheckpoint(
  last: AuditHead | undefined,
  { heads, at, begins }: Pick<CheckpointContent, 'heads' | 'at' | 'begins'>,
  signer: HeadSigner,
): Checkpoint {
  const number = (last?.sequence ?? 0) + 1
  const content: CheckpointContent = {
    ...{ number, previous: last?.hash ?? null, heads, at, key: signer.publicKey },
    ...(begins && { begins }),
  }
  const text = JSON.stringify(content)
  return { number, hash: hashOf(text), text, signature: signer.signCheckpoint(text) }
}

const hashOf = (text: string): string => createHash('sha256').update(text).digest('hex')

/** What it says; or what is wrong with it. */
export function readCheckpoint(
  { number, hash, text, signature }: Checkpoint,
  { isOurCheckpoint }: Pick<HeadSigner, 'isOurCheckpoint'>,
): CheckpointContent | string {
  if (hashOf(text) !== hash) return 'The checkpoint was changed: its hash is another one'
  if (!isOurCheckpoint(text, signature)) return 'The checkpoint was not signed by this gateway'
  const content = JSON.parse(text) as CheckpointContent // this gateway has signed it
  return content.number === number ? content : `The checkpoint is number ${content.number}, and stands in the place of ${number}`
}

export const checkpointColumns = `number::float8 AS number, encode(hash, 'hex') AS hash, text, signature`
export const placeOf = ({ sequence, hash }: AuditHead): Place => [sequence, hash]
export const headAt = (place: Place | null | undefined): AuditHead | undefined =>
  place ? { sequence: place[0], hash: place[1] } : undefined
