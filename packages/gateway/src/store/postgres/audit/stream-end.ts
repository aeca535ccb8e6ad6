import type { AuditHead } from 'toolwire/guard'
import type { HeadSigner } from '../../audit/signed-head.js'
import type { Sql } from '../connection.js'

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
