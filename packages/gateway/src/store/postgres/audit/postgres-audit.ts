import type { AuditHead, AuditRecord } from 'toolwire/guard'
import { oneAtATime } from '../../../bounds/one-at-a-time.js'
import type { AuditQuery } from '../../audit/audit-query.js'
import type { ExportFormat } from '../../audit/export-audit.js'
import { logReader } from '../../audit/log-reader.js'
import type { Retention } from '../../audit/retention.js'
import type { HeadSigner } from '../../audit/signed-head.js'
import type { StoredAudit } from '../../audit/stored-audit.js'
import { StoreFailure } from '../../store-failure.js'
import { checkWitness } from '../../witness/check-witness.js'
import type { Postgres } from '../connection.js'
import type { SpoolPlace, SpoolState } from '../spool/record-spool.js'
import { headHash, logBeginning } from './checkpoint-heads.js'
import { checkpointWriter } from './checkpoint-writer.js'
import { dropDays } from './drop-days.js'
import { exportStreams } from './export-streams.js'
import { streamFollower } from './follow-streams.js'
import { ensurePartitions } from './partitions.js'
import { searchCalls } from './search-calls.js'
import { callOf, callSpan, callsAfter, entryAt } from './stored-records.js'
import { streamWriter } from './stream-writer.js'
import { verifyStreams } from './verify-streams.js'

type PostgresAuditParts = {
  readonly postgres: Postgres
  readonly signer: HeadSigner
  /** A new UUID for each start of a replica: the name of its chain. */
  readonly stream: string
  /** Called with the error that keeps checkpoints from being written, or old days from being dropped. */
  readonly onTrouble?: (words: string) => void
  /** Keeps records while the database is away; without it, they are refused then. */
  readonly spool?: SpoolPlace
}

/** The log that several gateways write in PostgreSQL. Its head is the last signed checkpoint of all their streams. */
export type PostgresAudit = StoredAudit & {
  /** The reason why the last records could not be written; undefined if they were. */
  readonly trouble: unknown
  /** Undefined without a spool. */
  readonly spooled: SpoolState | undefined
  /** Signs everything that is safe now. */
  checkpoint(): Promise<void>
  close(): Promise<void>
}

const hourMs = 3_600_000

/** Opens the log; its tables must exist. */
export async function postgresAudit({
  postgres,
  signer,
  stream,
  onTrouble = warn,
  spool,
}: PostgresAuditParts): Promise<PostgresAudit> {
  const { sql } = postgres
  let trouble: unknown
  let last: AuditRecord | undefined
  await ensurePartitions(postgres)
  const follower = streamFollower(sql)
  const onHealth = (why: unknown) => {
    trouble = why
  }
  const spooling = spool && { spool: { ...spool, onTrouble: reportOnce(onTrouble) } }
  const writer = streamWriter({ postgres, signer, stream, onAdded: follower.added, onHealth, ...spooling })
  const tell = reportOnce(onTrouble)
  const onAttempt = (why: unknown) => {
    // The attempt also shows whether the database can be reached while there are no calls.
    if (why instanceof StoreFailure || trouble instanceof StoreFailure) trouble = why instanceof StoreFailure ? why : undefined
    tell(why)
  }
  const checkpoints = checkpointWriter({ postgres, signer, onAttempt })
  await checkpoints.last().catch(onAttempt)
  checkpoints.start()
  const timer = setInterval(() => {
    ensurePartitions(postgres).catch((thrown: unknown) => onTrouble(`Tables for the next days cannot be made: ${thrown}`))
    // Keeps the stream alive: one without a sign of life for days may be removed when its records are dropped.
    sql('UPDATE toolwire.audit_streams SET at = clock_timestamp() WHERE stream = $1', [writer.stream()]).catch(onHealth)
  }, hourMs).unref()
  const inTurn = oneAtATime()
  const own = () => ({ stream: writer.stream(), head: writer.head(), seen: checkpoints.head() })
  /** `verify` reports an invalid beginning. */
  const beginning = () => logBeginning(sql, signer).catch(() => undefined)

  return {
    append(record) {
      last = record
      return writer.append(record)
    },
    appendWithUse: writer.appendWithUse,
    get last() {
      return last
    },
    get head(): AuditHead | undefined {
      return checkpoints.head()
    },
    get sequence(): number {
      return writer.head()?.sequence ?? 0
    },
    get trouble() {
      return trouble
    },
    get spooled() {
      return writer.spooled()
    },
    ...logReader({
      entry: (position) => entryAt(sql, position),
      callOf: (id) => callOf(sql, id),
      span: (from) => callSpan(sql, from),
      callsAfter: (position, most) => callsAfter(sql, position, most),
    }),
    search: (query: AuditQuery) => searchCalls(sql, query),
    follow: follower.from,
    followNew: follower.fromEnd,
    verify: (options) => inTurn(() => verifyStreams({ sql, signer, own }, options)),
    export: (format: ExportFormat) => exportStreams(sql, format, checkpoints.now),
    signHead() {
      const head = checkpoints.head()
      return head && signer.sign(head, 'head')
    },
    headHash: async (number) => headHash(sql, await beginning(), number),
    async checkWitnessed(heads) {
      const begins = await beginning()
      return checkWitness(heads, {
        publicKey: signer.publicKey,
        last: (await checkpoints.last().catch(() => checkpoints.head()))?.sequence ?? 0,
        hashOf: (number) => headHash(sql, begins, number),
      })
    },
    retain: (keep: Retention) => inTurn(() => dropDays({ postgres, signer, checkpoints }, keep)),
    publicKey: signer.publicKey,
    checkpoint: checkpoints.now,
    async quiet() {
      await writer.quiet()
      await checkpoints.now()
    },
    async close() {
      clearInterval(timer)
      checkpoints.stop()
      await writer.quiet()
      await writer.close()
      await checkpoints.now()
    },
  }
}

const warn = (words: string): void => process.emitWarning(words)

/** Reports the same trouble only once, until it is over. */
function reportOnce(tell: (words: string) => void): (trouble: unknown) => void {
  let told: string | undefined
  return (trouble) => {
    const words = trouble instanceof Error ? trouble.message : trouble?.toString()
    if (words !== undefined && words !== told) tell(words)
    told = words
  }
}
