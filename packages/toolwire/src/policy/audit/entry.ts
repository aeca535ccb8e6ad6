import { sha256 } from '../hash/hashing.js'

/** A stored audit record: a line of JSON that names the entry before it, and the hash of exactly that line. */
export type AuditEntry = AuditHead & {
  /** The record, with `sequence` and with `previous`, the hash of the entry before (null in the first). */
  readonly text: string
}

/** The last entry of a log. Kept elsewhere, it shows that the end of the log has not been cut off. */
export type AuditHead = {
  /** The first entry is 1. */
  readonly sequence: number
  /** SHA-256 of the entry's text, in hexadecimal. */
  readonly hash: string
}

/** Returns the entry after the head, for a record given as the members of its JSON. */
export function entryAfter(head: AuditHead | undefined, members: string): AuditEntry {
  const sequence = head ? head.sequence + 1 : 1
  const text = `{"sequence":${sequence},"previous":${head ? `"${head.hash}"` : null},${members}}`
  return { sequence, hash: sha256(text), text }
}

export function chainEntries(head: AuditHead | undefined, records: readonly string[]): AuditEntry[] {
  let last = head
  return records.map((members) => {
    const entry = entryAfter(last, members)
    last = entry
    return entry
  })
}

/**
 * The entry as a line of a file: its text with the hash as last member, so that every line stands alone.
 *
 * @example
 * ```ts
 * const lines = (entries: AuditEntry[]) => entries.map(auditLine).join('')
 * ```
 */
export const auditLine = ({ sequence, text, hash }: AuditEntry): string =>
  // A stored text that lost its end, or its place, must not become a record again.
  text.startsWith(`{"sequence":${sequence},`) && text.endsWith('}')
    ? `${text.slice(0, -1)},"hash":"${hash}"}`
    : JSON.stringify(text)

const beginning = /^\{"sequence":([1-9]\d{0,15}),"previous":(?:null|"([0-9a-f]{64})"),/
const ending = /,"hash":"([0-9a-f]{64})"\}$/
const endingLength = ',"hash":""}'.length + 64

/** Parses a line; undefined if it is not an entry. Nothing in the result has been verified. */
export function readAuditLine(line: string): (AuditEntry & { readonly previous: string | undefined }) | undefined {
  const [, sequence, previous] = beginning.exec(line) ?? []
  // Only the end is searched, because a line may be long.
  const hash = ending.exec(line.slice(-endingLength))?.[1]
  if (sequence === undefined || hash === undefined) return undefined
  return { sequence: Number(sequence), previous, hash, text: `${line.slice(0, -endingLength)}}` }
}

/** Returns a copy of the head, or throws if it cannot be one. */
export function checkHead(head: AuditHead | undefined): AuditHead | undefined {
  if (head === undefined) return undefined
  const { sequence, hash } = head
  if (!Number.isSafeInteger(sequence) || sequence < 1 || !/^[0-9a-f]{64}$/.test(hash))
    throw new TypeError('The head of an audit log must have a sequence of 1 or more and a hash of 64 hexadecimal digits')
  return { sequence, hash }
}
