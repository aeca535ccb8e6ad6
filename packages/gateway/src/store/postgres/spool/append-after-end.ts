import type { AuditEntry } from 'toolwire/guard'
import { type Appending, appendGroup, StreamMismatch } from '../audit/append-group.js'
import { isSealed, type StreamEnd, streamEnd } from '../audit/stream-end.js'
import { previousIn } from './spooled-group.js'

/** Appends the entries that the database does not have yet, so that repeating it does no harm. */
export async function appendAfterEnd(appending: Appending, entries: readonly AuditEntry[]): Promise<void> {
  for (let before: number | undefined; ; ) {
    const end = await streamEnd(appending.sql, appending.stream)
    const kept = end?.sequence ?? 0
    try {
      return await appendMissing(appending, end, entries)
    } catch (thrown) {
      // Statements that were given up may still succeed, which extends the stream meanwhile.
      if (!(thrown instanceof StreamMismatch) || kept === before) throw thrown
      before = kept
    }
  }
}

async function appendMissing(appending: Appending, end: StreamEnd | undefined, entries: readonly AuditEntry[]): Promise<void> {
  const { signer, stream } = appending
  const kept = end?.sequence ?? 0
  const same = entries.find(({ sequence }) => sequence === kept)
  const missing = entries.filter(({ sequence }) => sequence > kept)
  const [next] = missing
  const follows = !next || (next.sequence === kept + 1 && previousIn(next.text) === (end?.hash ?? null))
  const isOurs = !end || (isSealed(end, signer) && (!same || same.hash === end.hash))
  if (!follows || !isOurs)
    throw new StreamMismatch(
      `Stream ${stream} of the audit log ends with record ${kept} in the database, but the records on the local disk do not continue from there. Verify the log: toolwire audit verify`,
    )
  await appendGroup(appending, end && { sequence: end.sequence, hash: end.hash }, missing)
}
