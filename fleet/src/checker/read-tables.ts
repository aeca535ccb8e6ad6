// Reads the database without the product's code.
import { createPrivateKey, createPublicKey, verify } from 'node:crypto'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import Database from 'libsql'
import pg from 'pg'
import type { Cluster } from '../cluster/cluster.js'
import type { ApprovalRow, AuditRow, CheckpointRow } from '../history.js'

export type Tables = readonly (AuditRow | CheckpointRow | ApprovalRow)[]

export async function readTables(cluster: Cluster): Promise<Tables> {
  return cluster.database === undefined ? readFiles(cluster) : readPostgres(cluster.database, join(cluster.folder, 'audit.key'))
}

/** Reads each replica's own database after the replica has ended. */
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

const auditQuery = `SELECT 'audit' AS kind, stream::text AS stream, sequence::float8 AS sequence, encode(hash, 'hex') AS hash, text
  FROM toolwire.audit ORDER BY stream, sequence`
const approvalsQuery = `SELECT 'approval' AS kind, id, decision FROM toolwire.approvals`
const checkpointsQuery = `SELECT number::float8 AS number, encode(hash, 'hex') AS hash, text, signature
  FROM toolwire.audit_checkpoints ORDER BY number`

type SignedCheckpoint = Omit<CheckpointRow, 'kind' | 'isSigned'> & { readonly signature: string }

async function readPostgres(url: string, auditKey: string): Promise<Tables> {
  const key = createPublicKey(createPrivateKey(readFileSync(auditKey)))
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    const audit = await client.query<AuditRow>(auditQuery)
    const approvals = await client.query<ApprovalRow>(approvalsQuery)
    const checkpoints = await client.query<SignedCheckpoint>(checkpointsQuery)
    const isSigned = ({ text, signature }: SignedCheckpoint) =>
      verify(null, Buffer.from(`toolwire audit checkpoint 1\n${text}`), key, Buffer.from(signature, 'base64url'))
    const signed = checkpoints.rows.map((row) => {
      const { number, hash, text } = row
      return { kind: 'checkpoint' as const, number, hash, text, isSigned: isSigned(row) }
    })
    return [...audit.rows, ...approvals.rows, ...signed]
  } finally {
    await client.end()
  }
}
