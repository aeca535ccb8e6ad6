// A group of records as a line of a spool, with the data that the database would have received.
import { createHash } from 'node:crypto'
import type { AuditEntry, AuditHead } from 'toolwire/guard'
import { isObject } from '../../../json/is-object.js'
import { jsonIn } from '../../../json/json-in.js'
import type { HeadSigner } from '../../audit/signed-head.js'
import { sealedText } from '../audit/stream-end.js'

type SpooledGroup = {
  /** The seal of the group's end, as in the row of the stream. The disk alone cannot make one. */
  readonly seal: string
  readonly entries: readonly AuditEntry[]
}

/** Requires at least one entry. */
export function groupLine(stream: string, entries: readonly AuditEntry[], last: AuditHead, { seal }: HeadSigner): string {
  const group: SpooledGroup = { seal: seal(sealedText(stream, last)), entries }
  return `${JSON.stringify(group)}\n`
}

/** Returns the entries of a line; undefined if no gateway with this key has written it. */
export function groupIn(line: string, stream: string, { seal }: HeadSigner): readonly AuditEntry[] | undefined {
  const group = parsed(line)
  const last = group?.entries.at(-1)
  if (!group || !last || seal(sealedText(stream, last)) !== group.seal) return undefined
  // The seal covers the last hash, and each text contains the hash before its own.
  const isLinked = group.entries.every(({ sequence, hash, text }, at) => {
    const before = group.entries[at - 1]
    return hash === sha256(text) && sequence === last.sequence - group.entries.length + 1 + at && isAfter(text, before)
  })
  return isLinked ? group.entries : undefined
}

/** True if the text follows this entry; without an entry always. */
function isAfter(text: string, before: AuditHead | undefined): boolean {
  return before === undefined || previousIn(text) === before.hash
}

/** The hash of the entry before; null in the first entry. */
export const previousIn = (text: string): string | null => (JSON.parse(text) as { previous: string | null }).previous // the log has written it

function parsed(line: string): SpooledGroup | undefined {
  const group = jsonIn(line)
  // The seal does not fit other objects.
  return isObject(group) && Array.isArray(group.entries) ? (group as unknown as SpooledGroup) : undefined
}

const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex')
