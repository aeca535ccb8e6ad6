// Replicas that share one audit log in PostgreSQL.
import { randomUUID } from 'node:crypto'
import type { AuditRecord } from 'toolwire/guard'
import { onTestFinished } from 'vitest'
import { headSigner, newSigningKey } from '../../src/store/audit/signed-head.js'
import { auditTables } from '../../src/store/postgres/audit/audit-tables.js'
import { type PostgresAudit, postgresAudit } from '../../src/store/postgres/audit/postgres-audit.js'
import { openPostgres, type Postgres } from '../../src/store/postgres/connection.js'
import type { SpoolPlace } from '../../src/store/postgres/spool/record-spool.js'

export const signer = headSigner(newSigningKey())

export type Replica = {
  readonly audit: PostgresAudit
  readonly postgres: Postgres
  readonly stream: string
  readonly troubles: string[]
}

export async function createTables(url: string): Promise<void> {
  const postgres = await openPostgres(url, () => undefined)
  for (const statement of ['CREATE SCHEMA IF NOT EXISTS toolwire', ...auditTables]) await postgres.sql(statement)
  await postgres.close()
}

/** Starts a replica that is closed after the test. */
export async function newReplica(
  url: string,
  around = (postgres: Postgres): Postgres => postgres,
  spool?: SpoolPlace,
): Promise<Replica> {
  const replica = await startReplica(url, around, spool)
  onTestFinished(() => replica.close())
  return replica
}

/** Starts a replica that the caller closes. */
export async function startReplica(url: string, around = (postgres: Postgres): Postgres => postgres, spool?: SpoolPlace) {
  const postgres = around(await openPostgres(url, () => undefined))
  const stream = randomUUID()
  const troubles: string[] = []
  const audit = await postgresAudit({
    postgres,
    signer,
    stream,
    onTrouble: (words) => troubles.push(words),
    ...(spool && { spool }),
  })
  const close = async (): Promise<void> => {
    await audit.close()
    await postgres.close()
  }
  return { audit, postgres, stream, troubles, close }
}

/** Appends records in order, in one batch. */
export async function appendTo({ audit }: Pick<Replica, 'audit'>, ...records: readonly AuditRecord[]): Promise<void> {
  await Promise.all(records.map((record) => audit.append(record)))
}
