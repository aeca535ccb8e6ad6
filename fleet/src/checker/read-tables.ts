// What is in the database, read without the product's code.
import { createPrivateKey, createPublicKey } from 'node:crypto'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import Database from 'libsql'
import pg from 'pg'
import type { Cluster } from '../cluster/cluster.js'
import type { ApprovalRow, AuditRow, CheckpointRow } from '../history.js'

export type Tables = readonly (AuditRow | CheckpointRow | ApprovalRow)[]

export async function readTables(cluster: Cluster): Promise<Tables> {
  return cluster.database === undefined ? readFiles(cluster) : readPostgres(cluster.database)
}

/** Each replica's own database, once it has ended. */
function readFiles({ replicas }: Cluster): Tables {
  return replicas.flatMap(({ name, dataDir }) => {
    const file = join(dataDir, 'toolwire.db')
    if (!existsSync(file)) return []
    const db = new Database(file)
    const audit = db.prepare('SELECT sequence, hash, text FROM audit ORDER BY sequence').all([]) as Omit<
      AuditRow,
      'kind' | 'stream'
    >[]
    const approvals = db.prepare('SELECT id, decision FROM approvals').all([]) as Omit<ApprovalRow, 'kind'>[]
    db.close()
    return [
      ...audit.map((row) => ({ kind: 'audit' as const, stream: name, ...row })),
      ...approvals.map((row) => ({ kind: 'approval' as const, ...row })),
    ]
  })
}

async function readPostgres(url: string): Promise<Tables> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    const audit = await client.query('SELECT stream, sequence, hash, text FROM toolwire.audit ORDER BY stream, sequence')
    const approvals = await client.query('SELECT id, decision FROM toolwire.approvals')
    return [
      ...audit.rows.map((row) => ({ kind: 'audit' as const, ...row, sequence: Number(row.sequence) })),
      ...approvals.rows.map((row) => ({ kind: 'approval' as const, ...row })),
    ]
  } finally {
    await client.end()
  }
}

/** The public key of the replicas' signatures. */
export const publicKeyOf = (pemFile: string) => createPublicKey(createPrivateKey(readFileSync(pemFile)))
