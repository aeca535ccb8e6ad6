import { createHash } from 'node:crypto'
import { createReadStream, existsSync } from 'node:fs'
import { open, rename } from 'node:fs/promises'
import { join } from 'node:path'
import { type AuditHead, auditLog } from 'toolwire/guard'
import { logPages } from '../audit/log-pages.js'
import { recordAction } from '../audit/record-action.js'
import { plainHead } from '../audit/retention.js'
import type { HeadSigner } from '../audit/signed-head.js'
import { verifyExport } from '../audit/verify-export.js'
import { readRetentionMark } from '../audit/verify-log.js'
import { auditRows } from '../database/audit/audit-rows.js'
import { callIndex } from '../database/audit/call-index.js'
import { verifyRows } from '../database/audit/verify-rows.js'
import { preparer } from '../database/connection.js'
import { stateRows } from '../database/key-value-rows.js'
import { exportStreams } from '../postgres/audit/export-streams.js'
import type { SignedState } from '../postgres/audit/fold-checkpoints.js'
import { recordsAfter } from '../postgres/audit/stored-records.js'
import type { Sql } from '../postgres/connection.js'
import type { CopiedDirectory } from './copied-directory.js'

const pageSize = 500

/** The chain of a single gateway that was copied to PostgreSQL and not extended there. */
type Chain = { readonly stream: string; readonly from: AuditHead | undefined; readonly head: AuditHead }

export function copiedChain({ streams, copied, head: last }: SignedState): Chain | undefined {
  const [stream, ...others] = streams
  if (!stream || others.length > 0 || stream[0] !== copied?.stream) return undefined
  const { from, head } = stream[1]
  return head?.sequence === copied.last && last?.sequence === copied.last + 1 ? { stream: stream[0], from, head } : undefined
}

type RestoringLog = {
  readonly sql: Sql
  readonly signer: HeadSigner
  readonly onProgress: (what: string, done: number) => void
}

/** Restores the chain unchanged, so that earlier heads are heads of its records. */
export async function restoreChain(
  { sql, signer, onProgress }: RestoringLog,
  { db }: CopiedDirectory,
  chain: Chain,
): Promise<void> {
  const { stream, from, head } = chain
  const insert = preparer(db)('INSERT INTO audit (sequence, hash, text) VALUES (?, ?, ?)')
  const index = callIndex(db)
  const read = (after: number) => recordsAfter(sql, stream, after, pageSize)
  let done = 0
  for await (const page of logPages(read, from?.sequence ?? 0, head.sequence)) {
    for (const { sequence, hash, text } of page) insert.run(sequence, hash, text)
    // The first searches of the gateway would otherwise wait for the index of the whole log.
    index.goOn()
    done += page.length
    onProgress('copied', done)
  }
  if (from) stateRows(db).put('from', JSON.stringify(signer.sign(from, 'retention')))
}

/**
 * A chain cannot hold several streams. They are archived in a file with everything that is signed about them, and a new chain continues
 * from the last checkpoint. So heads keep growing, and the new chain begins with a record that names the file.
 */
export async function archiveLog({ sql, signer, onProgress }: RestoringLog, target: CopiedDirectory, head: AuditHead) {
  const { db, directory, added } = target
  const file = `audit-until-${head.sequence}.ndjson`
  const path = join(directory, file)
  const made = `${path}.part`
  added.push(made, ...(existsSync(path) ? [] : [path]))
  const hash = createHash('sha256')
  const output = await open(made, 'w', 0o600)
  try {
    let lines = 0
    for await (const piece of exportStreams(sql, 'ndjson', async () => undefined)) {
      hash.update(piece)
      await output.writeFile(piece)
      lines += piece.split('\n').length - 1
      onProgress('copied', lines)
    }
    await output.sync()
  } finally {
    await output.close()
  }
  const verdict = await verifyExport(createReadStream(made), { head: plainHead(head) })
  if (!verdict.ok) throw new Error(`The copy of the log is incomplete or altered, so it was discarded: ${verdict.why}`)
  await rename(made, path)
  const insert = preparer(db)('INSERT INTO audit (sequence, hash, text) VALUES (?, ?, ?)')
  const log = auditLog({
    head: () => head,
    write: async (entries) => {
      for (const { sequence, hash, text } of entries) insert.run(sequence, hash, text)
    },
  })
  stateRows(db).put('from', JSON.stringify(signer.sign(head, 'retention')))
  const { entries } = verdict
  const about = { file, sha256: hash.digest('hex'), records: entries, head: `${head.sequence}:${head.hash}` }
  await recordAction(log, { by: 'toolwire', act: 'copy-store', about })
  return { file, entries }
}

export async function verifyRestored(
  { db }: CopiedDirectory,
  { signer, onProgress }: Pick<RestoringLog, 'signer' | 'onProgress'>,
): Promise<void> {
  const mark = readRetentionMark(stateRows(db).get('from'), signer)
  if (typeof mark === 'string') throw new Error(mark)
  const rows = auditRows(db)
  const given = { from: plainHead(mark), head: undefined }
  const verdict = await verifyRows(rows, given, (done) => onProgress('verified in the data directory', done))
  if (!verdict.ok) throw new Error(`The copy of the log is incomplete or altered, so it was discarded: ${verdict.why}`)
}
