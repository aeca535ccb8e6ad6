// A group of records as a line of a spool: what the database would have been given.
import { createHash } from 'node:crypto'
import type { AuditEntry, AuditHead } from 'toolwire/guard'
import type { HeadSigner } from '../../audit/signed-head.js'
import { sealedText } from '../audit/stream-end.js'

type SpooledGroup = {
  /** Of the end, as it stands in the row of the stream: nobody can make one from the disk alone. */
  readonly seal: string
  readonly entries: readonly AuditEntry[]
}

/** There is at least one entry. */
export function groupLine(stream: string, entries: readonly AuditEntry[], last: AuditHead, { seal }: HeadSigner): string {
  const group: SpooledGroup = { seal: seal(sealedText(stream, last)), entries }
  return `${JSON.stringify(group)}\n`
}

/** The entries of a line; undefined where it is none that this gateway, or one with the same key, has written. */
export function groupIn(line: string, stream: string, { seal }: HeadSigner): readonly AuditEntry[] | undefined {
  const group = parsed(line)
  const last = group?.entries.at(-1)
  if (!group || !last || seal(sealedText(stream, last)) !== group.seal) return undefined
  // The seal is about the last hash, and each text names the hash before its own.
  const isLinked = group.entries.every(({ sequence, hash, text }, at) => {
    const before = group.entries[at - 1]
    return hash === sha256(text) && sequence === last.sequence - group.entries.length + 1 + at && isAfter(text, before)
  })
  return isLinked ? group.entries : undefined
}

/** Whether the log has written the text after this entry; after any, where none is given. */
function isAfter(text: string, before: AuditHead | undefined): boolean {
  return before === undefined || previousIn(text) === before.hash
}

/** The hash of the entry before, null in the first. */
export const previousIn = (text: string): string | null => (JSON.parse(text) as { previous: string | null }).previous // the log has written it

function parsed(line: string): SpooledGroup | undefined {
  try {
    const group: unknown = JSON.parse(line)
    return typeof group === 'object' && group !== null && 'entries' in group && Array.isArray(group.entries)
      ? (group as SpooledGroup) // or its seal does not fit
      : undefined
  } catch {
    return undefined
  }
}

const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex')
