import { randomUUID } from 'node:crypto'
import { hostname } from 'node:os'
import { redactedUrl } from '../../config/describe-config.js'
import { type OpenedAudit, openLocalAudit } from '../audit/local-audit.js'
import type { HeadSigner } from '../audit/signed-head.js'
import { monotonicNow } from '../database/thread/messages.js'
import { openThread, type StoreOptions, warnOperator } from '../open-store.js'
import type { Store } from '../store.js'
import { StoreFailure } from '../store-failure.js'
import { storeParts } from '../store-parts.js'
import { readDatabaseFacts, serverRefusal } from './check-server.js'
import { openPostgres, type Postgres } from './connection.js'
import { openPostgresClient } from './postgres-client.js'
import { prepareStore } from './prepare-store.js'
import type { SchemaPart } from './schema/migrate.js'
import { storeTables } from './schema/store-tables.js'
import { withTimeLimit } from './time-limit.js'

/** What an audit log in PostgreSQL is made of. */
export type AuditParts = {
  readonly postgres: Postgres
  /** The id of this start of the gateway. */
  readonly replica: string
  readonly directory: string
  readonly signer: HeadSigner
  readonly options: StoreOptions
  readonly onNote: (words: string) => void
}

export type PostgresStoreOptions = StoreOptions & {
  /** Of this package, for the other gateways. */
  readonly version?: string
  /** The log; without it, the log of this gateway alone is kept in its data directory. */
  readonly audit?: (parts: AuditParts) => Promise<OpenedAudit & { readonly trouble: unknown }>
  /** Tables that are made besides. */
  readonly tables?: readonly SchemaPart[]
  /** Milliseconds since 1970. */
  readonly wall?: () => number
}

/** Shorter than the five seconds after which a start is refused. */
const startMs = 4_800
const controlConnections = 2

/** Opens a store that any number of gateways share. Keys and files of one gateway alone are in its data directory. */
export async function openPostgresStore(url: string, directory: string, options: PostgresStoreOptions = {}): Promise<Store> {
  const { onNote = warnOperator, wall = Date.now, tables = [] } = options
  const at = redactedUrl(url)
  // What breaks while nobody uses it is noticed by the next heartbeat.
  const ignore = () => undefined
  const postgres = await openPostgres(url, ignore)
  const control = await openPostgres(url, ignore, controlConnections)
  const closeConnections = () => Promise.all([postgres.close(), control.close()])
  try {
    const facts = await withTimeLimit(startMs, readDatabaseFacts(control.sql, wall))
    const refusal = serverRefusal(facts)
    if (refusal !== undefined) throw new StoreFailure(refusal)
    return await opened({ postgres, control, closeConnections }, directory, { ...options, onNote, wall, tables })
  } catch (thrown) {
    await closeConnections()
    if (!(thrown instanceof StoreFailure)) throw thrown
    throw new StoreFailure(`The store at ${at} cannot be used. ${thrown.message}`, thrown.code)
  }
}

type Connections = { readonly postgres: Postgres; readonly control: Postgres; closeConnections(): Promise<unknown> }
type Filled = PostgresStoreOptions & Required<Pick<PostgresStoreOptions, 'onNote' | 'wall' | 'tables'>>

async function opened({ postgres, control, closeConnections }: Connections, directory: string, options: Filled): Promise<Store> {
  const { onNote, wall, tables, now = monotonicNow, version = '', audit: openAudit = localAudit } = options
  const replica = { id: randomUUID(), name: hostname(), version }
  const { secret, signer } = await prepareStore(postgres, directory, options, [storeTables, ...tables])
  const client = await openPostgresClient({ postgres, control, replica, onNote, wall })
  const closing: (() => Promise<unknown>)[] = [() => client.close()]
  let ended: Promise<void> | undefined
  async function end({ approvals }: Pick<Store, 'approvals'>): Promise<void> {
    approvals.close()
    for (const close of closing) await close()
    await closeConnections()
  }
  try {
    const log = await openAudit({ postgres, replica: replica.id, directory, signer, options, onNote })
    closing.unshift(() => log.close())
    const parts = await storeParts(client, { secret, now, onNote, clock: client })
    return {
      ...parts,
      audit: log.audit,
      fleet: { id: replica.id, postgres, replicas: client.replicas, announce: client.announce },
      get trouble() {
        return client.trouble ?? log.trouble
      },
      close() {
        ended ??= end(parts)
        return ended
      },
    }
  } catch (thrown) {
    for (const close of closing) await close()
    throw thrown
  }
}

async function localAudit({ directory, signer, options, onNote }: AuditParts) {
  const { retention } = options
  const thread = await openThread(directory, options)
  const { audit, close } = await openLocalAudit(thread, { directory, signer, onNote, ...(retention && { retention }) })
  return {
    audit,
    get trouble() {
      return thread.health.trouble
    },
    async close() {
      await close()
      thread.health.stop()
      await thread.close()
    },
  }
}
