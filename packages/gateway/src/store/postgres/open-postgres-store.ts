import { randomUUID } from 'node:crypto'
import { hostname } from 'node:os'
import { postgresStores } from 'toolwire/postgres'
import { uptimeNow } from '../../bounds/uptime-clock.js'
import { redactedUrl } from '../../config/describe-config.js'
import { type StoreOptions, warnOperator } from '../open-store.js'
import type { Fleet, Store } from '../store.js'
import { StoreFailure } from '../store-failure.js'
import { storeParts } from '../store-parts.js'
import { postgresAudit } from './audit/postgres-audit.js'
import { hintChannel, listenTo } from './change-hints.js'
import { readDatabaseFacts, serverRefusal, unsafeNote } from './check-server.js'
import { configKey, configVersions } from './config-versions.js'
import { openPostgres, type Postgres, poolOf } from './connection.js'
import { openPostgresClient, type PostgresClient } from './postgres-client.js'
import { prepareStore } from './prepare-store.js'
import { openSpool } from './spool/open-spool.js'
import { nulSafe } from './text-cells.js'
import { withTimeLimit } from './time-limit.js'

export type PostgresStoreOptions = StoreOptions & {
  /** Version of this package, for the other gateways. */
  readonly version?: string
  /**
   * Keeps records in the data directory while the database is away. The setting may come from a config in the database itself. Undefined
   * for a program that does not take the data directory for itself, and leaves such a spool alone.
   */
  readonly spool?: boolean | ((configs: Fleet['configs']) => Promise<boolean>)
  /** Milliseconds since 1970. */
  readonly wall?: () => number
}

/** Shorter than the five seconds after which a start is refused. */
const startMs = 4_800
const controlConnections = 2

/** Opens a store that any number of gateways share. Keys and files of a single gateway are in its data directory. */
export async function openPostgresStore(url: string, directory: string, options: PostgresStoreOptions = {}): Promise<Store> {
  const { onNote = warnOperator, wall = Date.now } = options
  const at = redactedUrl(url)
  // The next heartbeat notices an idle connection that has broken.
  const ignore = () => undefined
  const postgres = await openPostgres(url, ignore)
  const control = await openPostgres(url, ignore, controlConnections)
  const closeConnections = () => Promise.all([postgres.close(), control.close()])
  try {
    const facts = await withTimeLimit(startMs, readDatabaseFacts(control.sql, wall))
    const refusal = serverRefusal(facts)
    if (refusal !== undefined) throw new StoreFailure(refusal)
    // The command line is used often, and `doctor` tells it there.
    const note = options.spool === undefined ? undefined : unsafeNote(facts)
    if (note !== undefined) onNote(note)
    return await openParts({ url, postgres, control, closeConnections }, directory, { ...options, onNote, wall })
  } catch (thrown) {
    await closeConnections()
    if (!(thrown instanceof StoreFailure)) throw thrown
    throw new StoreFailure(`The store at ${at} cannot be used. ${thrown.message}`, thrown.code)
  }
}

type Connections = {
  readonly url: string
  readonly postgres: Postgres
  readonly control: Postgres
  closeConnections(): Promise<unknown>
}
type ResolvedOptions = PostgresStoreOptions & Required<Pick<PostgresStoreOptions, 'onNote' | 'wall'>>

async function openParts(
  { url, postgres, control, closeConnections }: Connections,
  directory: string,
  options: ResolvedOptions,
): Promise<Store> {
  const { onNote, wall, now = uptimeNow, version = '' } = options
  const replica = { id: randomUUID(), name: hostname(), version }
  const { secret, signer } = await prepareStore(postgres, directory, options)
  const listen = (heard: Parameters<typeof listenTo>[2]) => listenTo(url, hintChannel(replica.id), heard)
  const client = await openPostgresClient({ postgres, control, replica, listen, onNote, wall })
  const closing: (() => Promise<unknown>)[] = [() => client.close()]
  let ended: Promise<void> | undefined
  async function end({ approvals }: Pick<Store, 'approvals'>): Promise<void> {
    approvals.close()
    for (const close of closing) await close()
    await closeConnections()
  }
  try {
    const configs = configsOf(client, postgres, configKey(secret))
    const hasSpool = typeof options.spool === 'function' ? await options.spool(configs) : options.spool
    const { spool, release } = hasSpool === undefined ? {} : await openSpool(directory, hasSpool, { postgres, signer, onNote })
    closing.push(async () => release?.())
    const audit = await postgresAudit({ postgres, signer, stream: replica.id, onTrouble: onNote, ...(spool && { spool }) })
    closing.unshift(() => audit.close())
    const parts = await storeParts(client, { secret, now, onNote, clock: client })
    const { spentTickets, turns, labels } = postgresStores(poolOf(postgres), { replicas: 1 })
    return {
      ...parts,
      audit,
      spentTickets,
      fleet: {
        ...{ id: replica.id, postgres, turns, labels, replicas: client.replicas, announce: client.announce },
        now: client.now,
        configs,
      },
      get trouble() {
        return client.trouble ?? audit.trouble
      },
      get spooled() {
        return audit.spooled
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

function configsOf(client: PostgresClient, { sql }: Postgres, key: Uint8Array): Fleet['configs'] {
  const versions = configVersions(nulSafe(sql))
  return {
    get newest() {
      return client.newestConfig
    },
    get newestVersion() {
      return Number.parseInt(client.newestConfig ?? '0', 10)
    },
    onChange: client.onNewestConfig,
    read: (version) => client.runJob(() => versions.sealed(key, version)),
    add: (version) => client.runJob(() => versions.add(version, key)),
  }
}
