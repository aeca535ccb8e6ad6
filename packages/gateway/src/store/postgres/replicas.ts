import { withoutNulls } from '../database/cells.js'
import { changing } from './approvals/approval-columns.js'
import type { Runner } from './approvals/approval-transitions.js'
import { isDuplicate } from './failures.js'

export type Replica = {
  /** Id of this run of the gateway. */
  readonly id: string
  /** Name of its machine. */
  readonly name: string
  readonly version: string
  /** The address for other gateways; undefined if they do not need one. */
  readonly address?: string
  /** Milliseconds since 1970, by the clock of the database. */
  readonly startedAt: number
  readonly seenAt: number
  /** The version of the config in force, or 0 before there is one; undefined if the config is a file. */
  readonly configVersion?: number
  /** The reason why the gateway cannot apply the newest config. */
  readonly configTrouble?: string
}

export type Announced = Pick<Replica, 'address' | 'configVersion' | 'configTrouble'>

/** Held by one gateway, which is enough. Released with the transaction. */
const lockRelease = `SELECT pg_try_advisory_xact_lock(hashtextextended('toolwire replicas', 0)) AS got`

type Heartbeat = {
  /** Milliseconds since 1970, by the clock of the database. */
  readonly startedAt: number
  readonly isNew: boolean
  readonly nowMs: number
  readonly orphans: boolean
  /** Number and hash of the newest version of the config. */
  readonly newestConfig: string | null
}

/** A gateway without a heartbeat since then is gone. */
const over = `clock_timestamp() - interval '10 seconds'`
const orphaned = `live AND held AND NOT EXISTS (SELECT 1 FROM toolwire.replicas WHERE replicas.id = holder)`

/** The gateways that use the database, and the calls of gateways that have died. */
export function replicaRows({ sql, transaction }: Runner, mine: Pick<Replica, 'id' | 'name' | 'version'>) {
  let startedAt: number | undefined
  return {
    /** Sends a heartbeat. `isNew` is true at first, and after the others have taken this gateway for dead. */
    async beat({ address, configVersion, configTrouble }: Announced): Promise<Heartbeat> {
      const [row] = await sql<Heartbeat>(
        `WITH beat AS (
           INSERT INTO toolwire.replicas (id, name, version, address, config_version, config_trouble, started)
           VALUES ($1, $2, $3, $4, $5, $6, coalesce(to_timestamp($7::float8 / 1000), clock_timestamp()))
           ON CONFLICT (id) DO UPDATE SET seen = clock_timestamp(), address = excluded.address,
             config_version = excluded.config_version, config_trouble = excluded.config_trouble RETURNING xmax = 0 AS fresh, started)
         SELECT fresh AS "isNew", extract(epoch from started)::float8 * 1000 AS "startedAt", extract(epoch from clock_timestamp())::float8 * 1000 AS "nowMs",
           EXISTS (SELECT 1 FROM toolwire.replicas WHERE seen < ${over})
           OR EXISTS (SELECT 1 FROM toolwire.approvals WHERE ${orphaned} AND holder <> $1) AS orphans,
           (SELECT version || ' ' || hash FROM toolwire.config_versions ORDER BY version DESC LIMIT 1) AS "newestConfig" FROM beat`,
        [mine.id, mine.name, mine.version, address ?? null, configVersion ?? null, configTrouble ?? null, startedAt ?? null],
      )
      if (!row) throw new Error('PostgreSQL returned no row for the heartbeat')
      // After an outage, the row is inserted again.
      startedAt = row.startedAt
      return row
    },
    /** Releases the calls of dead gateways. No call waits for them any more, but one that comes back finds the decision. */
    async releaseOrphans(): Promise<void> {
      try {
        await transaction(async (within) => {
          const [lock] = await within<{ got: boolean }>(lockRelease)
          if (!lock?.got) return
          await within(`DELETE FROM toolwire.replicas WHERE seen < ${over}`)
          // Of identical pending calls, the last one stands for all that come back.
          await within(
            `UPDATE toolwire.approvals SET live = false, sealed = NULL, ${changing},
               state = CASE state WHEN 'denied' THEN 'denied' ELSE 'gone' END
             WHERE ${orphaned} AND EXISTS (SELECT 1 FROM toolwire.approvals other
               WHERE other.live AND other.call_digest = approvals.call_digest AND (NOT other.held OR (other.added > approvals.added
                 AND NOT EXISTS (SELECT 1 FROM toolwire.replicas WHERE replicas.id = other.holder))))`,
          )
          await within(`UPDATE toolwire.approvals SET held = false, ${changing} WHERE ${orphaned}`)
        })
      } catch (thrown) {
        // An identical call was left at the same moment, so the next heartbeat tries again.
        if (!isDuplicate(thrown)) throw thrown
      }
    },
    async leave(): Promise<void> {
      await sql('DELETE FROM toolwire.replicas WHERE id = $1', [mine.id])
    },
    async list(): Promise<Replica[]> {
      // Tables of the version before have no columns for the config, so the columns are read as JSON.
      const rows = await sql<Replica>(
        `SELECT id, name, version, address, extract(epoch from started)::float8 * 1000 AS "startedAt",
           extract(epoch from seen)::float8 * 1000 AS "seenAt",
           (to_jsonb(replicas) ->> 'config_version')::integer AS "configVersion", to_jsonb(replicas) ->> 'config_trouble' AS "configTrouble"
         FROM toolwire.replicas WHERE seen >= ${over} ORDER BY started, id`,
      )
      return rows.map(withoutNulls)
    },
  }
}
