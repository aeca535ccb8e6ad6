import {
  type ApprovalDecision,
  type ApprovalUse,
  mostLiveRows,
  mostPastRows,
  type NewApproval,
  sealedRoom,
} from '../../approvals/approval-row.js'
import { hintHolder } from '../change-hints.js'
import type { Sql } from '../connection.js'
import { nowMs } from '../connection.js'
import { isDuplicate } from '../failures.js'
import { changing, stillWaits } from './approval-columns.js'

/** Runs the statements of a job, singly or together in a transaction. */
export type Runner = { readonly sql: Sql; transaction<T>(work: (sql: Sql) => Promise<T>): Promise<T> }

/** An unused approval expires; a denial stays a denial. Rows that another gateway is changing are left to it. */
const expire = `UPDATE toolwire.approvals SET live = false, sealed = NULL, ${changing},
    state = CASE state WHEN 'denied' THEN 'denied' ELSE 'expired' END
  WHERE added IN (SELECT added FROM toolwire.approvals WHERE live AND until <= clock_timestamp() FOR UPDATE SKIP LOCKED)`

/** Adds requests of one caller in turn, so that many at once cannot pass the bound. The lock ends with the transaction. */
const lockCaller = `SELECT pg_advisory_xact_lock(hashtextextended('toolwire approvals ' || $1, 0))`

/** PostgreSQL stores the length of long bytes beside their address, so they are not read. */
const sealedBytes = `SELECT coalesce(sum(octet_length(sealed)), 0) FROM toolwire.approvals WHERE ${stillWaits}`
const hasSealedRoom = (caller: string, bytes: string): string =>
  `(${bytes} <= ${sealedRoom.short} OR (${sealedBytes}) + ${bytes} <= ${sealedRoom.all}
    AND (${sealedBytes} AND md5(caller) = md5(${caller}) AND caller = ${caller}) + ${bytes} <= ${sealedRoom.each})`

const usable = `id = $1 AND live AND state = 'allowed' AND digest = $2 AND until > clock_timestamp()`
const use = `UPDATE toolwire.approvals SET state = 'released', live = false, ${changing} WHERE ${usable}`

/** Uses an approval in a larger transaction. Instead of waiting for a locked row, it fails with SQLSTATE 55P03. */
export async function useApproval(sql: Sql, { id, digest }: ApprovalUse): Promise<boolean> {
  const free = `SELECT added FROM toolwire.approvals WHERE ${usable} FOR UPDATE NOWAIT`
  return (await sql(`${use} AND added = (${free}) RETURNING 1`, [id, digest])).length > 0
}

/**
 * Requests for approval. Each transition is one statement that names its starting state and counts only if it changed a row, so that only
 * one of several deciders at any gateway succeeds. The clock is that of the database.
 */
export function approvalTransitions({ sql, transaction }: Runner, replica: string) {
  const changed = async (text: string, values: readonly unknown[]): Promise<boolean> =>
    (await sql(`${text} RETURNING 1`, values)).length > 0

  async function isFull({ caller, sealed }: NewApproval, most: number): Promise<boolean> {
    const text = `SELECT count(*)::int AS count, ${hasSealedRoom('$1', '$2')} AS room
      FROM toolwire.approvals WHERE ${stillWaits} AND md5(caller) = md5($1) AND caller = $1`
    const [row] = await sql<{ count: number; room: boolean }>(text, [caller, sealed.length])
    return row === undefined || row.count >= most || !row.room
  }

  async function insert(within: Sql, asked: NewApproval, most: number): Promise<boolean> {
    const { id, caller, server, tool, danger, callDigest, digest, held, text, sealed, expiresAt, waitsMs } = asked
    const identity = (JSON.parse(text) as { serverIdentity?: string }).serverIdentity ?? null // `recordText` has written it
    const about = [
      id,
      caller,
      server ?? null,
      identity,
      tool,
      danger,
      callDigest,
      digest,
      held,
      replica,
      text,
      Buffer.from(sealed),
    ]
    const rows = await within(
      `INSERT INTO toolwire.approvals
        (id, caller, server, identity, tool, danger, call_digest, digest, held, holder, asked, sealed, expires, waits, until)
      SELECT $1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, clock_timestamp() + $14 * interval '1 millisecond'
      WHERE (SELECT count(*) FROM toolwire.approvals WHERE ${stillWaits} AND md5(caller) = md5($2) AND caller = $2) < $15
        AND (SELECT count(*) < ${mostLiveRows.all} AND count(*) FILTER (WHERE caller = $2) < ${mostLiveRows.each}
          FROM toolwire.approvals WHERE live AND until > clock_timestamp())
        AND ${hasSealedRoom('$2', 'octet_length($12::bytea)')}
        AND NOT EXISTS (SELECT 1 FROM toolwire.approvals WHERE id = $1)
      RETURNING 1`,
      [...about, expiresAt, waitsMs, most],
    )
    return rows.length > 0
  }

  return {
    async addApproval(asked: NewApproval, most: number): Promise<'added' | 'full' | 'known'> {
      const { caller, callDigest, held } = asked
      const known = `SELECT 1 FROM toolwire.approvals WHERE live AND NOT held AND call_digest = $1 AND until > clock_timestamp()`
      if (!held && (await sql(known, [callDigest])).length > 0) return 'known'
      // A flood that is refused anyway does not take the lock.
      if (await isFull(asked, most)) return 'full'
      try {
        return await transaction(async (within) => {
          await within(lockCaller, [caller])
          await within(expire)
          return (await insert(within, asked, most)) ? 'added' : 'full'
        })
      } catch (thrown) {
        if (isDuplicate(thrown)) return 'known'
        throw thrown
      }
    },
    async decide(id: string, { state, why, always, by }: ApprovalDecision): Promise<boolean> {
      const decision = state === 'allowed' ? 'allow' : 'deny'
      const rows = await sql(
        `WITH decided AS (UPDATE toolwire.approvals SET state = $2, why = $3, always = $4, decider = $5, decision = $6,
           settled = ${nowMs}, sealed = NULL, ${changing} WHERE id = $1 AND ${stillWaits} RETURNING held, holder)
         SELECT ${hintHolder('$7')} FROM decided`,
        [id, state, why ?? null, always ? JSON.stringify(always) : null, by ?? null, decision, replica],
      )
      return rows.length > 0
    },
    release: (id: string, digest: string): Promise<boolean> => changed(use, [id, digest]),
    /** After an outage, another gateway may have taken the one that holds the request for dead, and left it already. */
    async leaveApproval(id: string): Promise<boolean> {
      try {
        return await changed(
          `UPDATE toolwire.approvals SET held = false, ${changing}
           WHERE id = $1 AND live AND until > clock_timestamp() AND (NOT held OR NOT EXISTS (SELECT 1 FROM toolwire.approvals other
             WHERE other.live AND NOT other.held AND other.call_digest = approvals.call_digest))`,
          [id],
        )
      } catch (thrown) {
        // Another identical call was left at the same moment.
        if (isDuplicate(thrown)) return false
        throw thrown
      }
    },
    /** Withdrawing a denied request keeps the denial. */
    async withdraw(id: string): Promise<boolean> {
      await sql(`UPDATE toolwire.approvals SET live = false, ${changing} WHERE id = $1 AND live AND state = 'denied'`, [id])
      return changed(
        `UPDATE toolwire.approvals SET state = 'gone', live = false, sealed = NULL, settled = coalesce(settled, ${nowMs}), ${changing}
         WHERE id = $1 AND live AND state <> 'denied'`,
        [id],
      )
    },
    /** Expires requests whose time is over, and returns how many are still live, decided ones as well. */
    async expireApprovals(): Promise<number> {
      await sql(expire)
      await sql(`DELETE FROM toolwire.approvals WHERE NOT live AND added <=
        (SELECT added FROM toolwire.approvals WHERE NOT live ORDER BY added DESC LIMIT 1 OFFSET ${mostPastRows})`)
      const [row] = await sql<{ live: number }>('SELECT count(*)::int AS live FROM toolwire.approvals WHERE live')
      return row?.live ?? 0
    },
  }
}
