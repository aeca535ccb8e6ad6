import type { AuditHead } from 'toolwire/guard'
import type { HeadSigner } from '../../audit/signed-head.js'
import type { Sql } from '../connection.js'
import { today } from './audit-tables.js'

const hourMs = 3_600_000

/** The end of a stream, according to its row. */
export type StreamEnd = AuditHead & {
  readonly stream: string
  /** Shows that a replica has written the row, because the database alone cannot make a seal. */
  readonly seal: string
}

export const sealedText = (stream: string, { sequence, hash }: AuditHead): string => `${stream} ${sequence} ${hash}`

export const isSealed = (end: StreamEnd, { seal }: HeadSigner): boolean => seal(sealedText(end.stream, end)) === end.seal

export const endColumns = `s.stream, s.sequence::float8 AS sequence, encode(s.hash, 'hex') AS hash, encode(s.seal, 'hex') AS seal`

export const streamEnd = async (sql: Sql, stream: string): Promise<StreamEnd | undefined> =>
  (await sql<StreamEnd>(`SELECT ${endColumns} FROM toolwire.audit_streams s WHERE s.stream = $1`, [stream]))[0]

/**
 * Selects the streams `s` that may have changed since they were read before: those of today and yesterday. Every append sets the day of its
 * stream, and rows of earlier starts are many. Once an hour, and at first, all streams are read, until they have been handled.
 */
export function changingDays() {
  let allReadAt = -Infinity
  let unhandledAt = -Infinity
  return {
    async read<T>(from: (days: string) => Promise<T>, isAll = performance.now() - allReadAt > hourMs): Promise<T> {
      const startedAt = performance.now()
      const found = await from(isAll ? 'true' : `s.day >= (SELECT ${today} - 1)`)
      unhandledAt = isAll ? startedAt : allReadAt
      return found
    },
    /** Nothing is left of what was read last. */
    handled(): void {
      allReadAt = unhandledAt
    },
  }
}
