import {
  type ApprovalCells,
  type ApprovalDecision,
  type ApprovalRow,
  approvalRowOf,
  mostLiveRows,
  mostPastRows,
  type NewApproval,
  sealedRoom,
} from '../../approvals/approval-row.js'
import { bytesIn } from '../cells.js'
import { type DatabaseConnection, preparer } from '../connection.js'

export const approvalColumns =
  'asked AS text, sealed, held, state, why, always, decider AS "by", decision, settled AS settledAt, expires, waits'

type SealedCells = { readonly added: number; readonly id: string; readonly sealed: Uint8Array }

/**
 * Requests for approval. Each transition is one statement that names its starting state and counts only if it changed a row, so that only
 * one of several deciders succeeds. `now` is a monotonic clock; the wall clock only counts across a restart.
 */
export function approvalRows(db: DatabaseConnection, now: () => number, room = sealedRoom) {
  db.exec(countLive)
  const sql = preparer(db)
  const known = sql<object>('SELECT 1 AS there FROM approvals WHERE live = 1 AND held = 0 AND call_digest = ? AND until > ?')
  const insert = sql(`INSERT INTO approvals
    (id, caller, server, tool, danger, call_digest, digest, held, asked, sealed, expires, waits, until, live, state)
    SELECT ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, 1, 'pending'
    WHERE (SELECT count(*) FROM approvals WHERE live = 1 AND state = 'pending' AND caller = ?) < ?
      AND (SELECT total FROM live_approvals) < ${mostLiveRows.all}
      AND coalesce((SELECT total FROM live_callers WHERE caller = ?), 0) < ${mostLiveRows.each}
      AND (? <= ${room.short} OR (SELECT bytes FROM live_approvals) + ? <= ${room.all} AND ? + (SELECT coalesce(sum(length(sealed)), 0)
        FROM approvals WHERE live = 1 AND state = 'pending' AND caller = ?) <= ${room.each})
      AND NOT EXISTS (SELECT 1 FROM approvals WHERE id = ?)`)
  const decide = sql(`UPDATE approvals SET state = ?, why = ?, always = ?, decider = ?, decision = ?, settled = ?
    WHERE id = ? AND live = 1 AND state = 'pending' AND until > ?`)
  const release = sql(`UPDATE approvals SET state = 'released', live = 0
    WHERE id = ? AND live = 1 AND state = 'allowed' AND digest = ? AND until > ?`)
  const unhold = sql(`UPDATE approvals SET held = 0 WHERE id = ? AND live = 1 AND held = 1 AND until > ? AND NOT EXISTS
    (SELECT 1 FROM approvals other WHERE other.live = 1 AND other.held = 0 AND other.call_digest = approvals.call_digest)`)
  const withdraw = sql(`UPDATE approvals SET state = 'gone', live = 0, settled = coalesce(settled, ?)
    WHERE id = ? AND live = 1 AND state <> 'denied'`)
  const leave = sql(`UPDATE approvals SET live = 0 WHERE id = ? AND live = 1 AND state = 'denied'`)
  const expire = sql(expireApprovals)
  const forget = sql(`DELETE FROM approvals WHERE live = 0 AND added <=
    (SELECT added FROM approvals WHERE live = 0 ORDER BY added DESC LIMIT 1 OFFSET ${mostPastRows})`)
  const pending = sql<ApprovalCells>(`SELECT ${approvalColumns} FROM approvals
    WHERE live = 1 AND state = 'pending' AND until > ? ORDER BY added LIMIT ?`)
  const matching = sql<ApprovalCells>(`SELECT ${approvalColumns} FROM approvals
    WHERE live = 1 AND held = 0 AND call_digest = ? AND until > ?`)
  const one = sql<ApprovalCells & { until: number }>(`SELECT ${approvalColumns}, until FROM approvals WHERE id = ?`)
  const live = sql<{ total: number }>('SELECT total FROM live_approvals')
  const unsealed = sql<{ id: string; text: string }>(
    `SELECT id, asked AS text FROM approvals WHERE live = 1 AND state = 'pending' AND sealed IS NULL`,
  )
  const sealed = sql<SealedCells>(
    `SELECT added, id, sealed FROM approvals WHERE added > ? AND live = 1 AND state = 'pending' AND sealed IS NOT NULL
     ORDER BY added LIMIT 1`,
  )
  const reseal = sql('UPDATE approvals SET asked = ?, sealed = ? WHERE id = ? AND sealed IS NULL')
  const past = sql<ApprovalCells>(`SELECT ${approvalColumns} FROM approvals
    WHERE state <> 'pending' AND (live = 0 OR until > ?) ORDER BY added DESC LIMIT ?`)
  return {
    add(asked: NewApproval, most: number): 'added' | 'full' | 'known' {
      const time = now()
      expire.run(time)
      forget.run()
      const { id, caller, server, tool, danger, callDigest, digest, held, text, expiresAt, waitsMs } = asked
      if (!held && known.first(callDigest, time)) return 'known'
      const about = [id, caller, server ?? null, tool, danger, callDigest, digest, held ? 1 : 0, text, Buffer.from(asked.sealed)]
      const { length } = asked.sealed
      const limits = [caller, most, caller, length, length, length, caller, id]
      return insert.run(...about, expiresAt, waitsMs, time + waitsMs, ...limits) === 1 ? 'added' : 'full'
    },
    decide(id: string, { state, why, always, by }: ApprovalDecision): boolean {
      const said = [why ?? null, always ? JSON.stringify(always) : null, by ?? null, state === 'allowed' ? 'allow' : 'deny']
      return decide.run(state, ...said, Date.now(), id, now()) === 1
    },
    release: (id: string, digest: string) => release.run(id, digest, now()) === 1,
    leave: (id: string) => unhold.run(id, now()) === 1,
    /** Withdrawing a denied request keeps the denial. */
    withdraw(id: string): boolean {
      leave.run(id)
      return withdraw.run(Date.now(), id) === 1
    },
    pending: (most: number) => pending.all(now(), most).map(approvalRowOf),
    matching(callDigest: string): ApprovalRow | undefined {
      const row = matching.first(callDigest, now())
      return row && approvalRowOf(row)
    },
    standing(id: string): { readonly kept: ApprovalRow; readonly leftMs: number } | undefined {
      const row = one.first(id)
      if (!row) return undefined
      const kept = approvalRowOf(row)
      const leftMs = row.until - now()
      const isOver = leftMs <= 0 && (kept.state === 'pending' || kept.state === 'allowed')
      return { kept: isOver ? { ...kept, state: 'expired' } : kept, leftMs }
    },
    /** Expires requests whose time is over, and returns how many are still live, decided ones as well. */
    expire(): number {
      expire.run(now())
      return live.first()?.total ?? 0
    },
    /** Requests that an older version stored unsealed. */
    unsealed: () => unsealed.all(),
    /** The next pending request, to test whether it can be opened. */
    sealedAfter(added: number): SealedCells | undefined {
      const row = sealed.first(added)
      return row && { ...row, sealed: bytesIn(row.sealed) }
    },
    reseal: (id: string, text: string, bytes: Uint8Array): void => void reseal.run(text, Buffer.from(bytes), id),
    history: (most: number) => past.all(now(), most).map(approvalRowOf),
  }
}

/** An unused approval expires; a denial stays a denial. */
const expireApprovals = `UPDATE approvals SET live = 0, state = CASE state WHEN 'denied' THEN 'denied' ELSE 'expired' END
  WHERE live = 1 AND until <= ?`

/**
 * Running totals of the live rows, of all and of each caller, and of sealed bytes, kept by this connection. Counting thousands of rows takes
 * longer than adding one.
 */
const countLive = `
  CREATE TEMP TABLE live_approvals AS
    SELECT count(*) FILTER (WHERE live = 1) AS total, coalesce(sum(length(sealed)), 0) AS bytes FROM approvals;
  CREATE TEMP TABLE live_callers (caller TEXT PRIMARY KEY, total INTEGER NOT NULL) STRICT, WITHOUT ROWID;
  INSERT INTO live_callers SELECT caller, count(*) FROM approvals WHERE live = 1 GROUP BY caller;
  CREATE TEMP TRIGGER approval_added AFTER INSERT ON main.approvals WHEN NEW.live = 1
    BEGIN
      UPDATE live_approvals SET total = total + 1, bytes = bytes + coalesce(length(NEW.sealed), 0);
      INSERT INTO live_callers VALUES (NEW.caller, 1) ON CONFLICT (caller) DO UPDATE SET total = total + 1;
    END;
  CREATE TEMP TRIGGER approval_unsealed AFTER UPDATE OF sealed ON main.approvals
    BEGIN UPDATE live_approvals SET bytes = bytes + coalesce(length(NEW.sealed), 0) - coalesce(length(OLD.sealed), 0); END;
  CREATE TEMP TRIGGER approval_over AFTER UPDATE OF live ON main.approvals WHEN NEW.live < OLD.live
    BEGIN
      UPDATE live_approvals SET total = total - 1;
      UPDATE live_callers SET total = total - 1 WHERE caller = NEW.caller;
      DELETE FROM live_callers WHERE caller = NEW.caller AND total = 0;
    END`

/**
 * Restores requests after a restart. No call waits for them any more, but a call that comes back finds the decision. Setting the clock
 * back between two runs does not give a request more time.
 */
export function restoreApprovals(db: DatabaseConnection, now: number, wall: number): void {
  const sql = preparer(db)
  sql('UPDATE approvals SET until = ? + min(expires - ?, waits) WHERE live = 1').run(now, wall)
  sql(expireApprovals).run(now)
  // Of identical pending calls, the last one stands for all that come back.
  sql(`UPDATE approvals SET live = 0, state = CASE state WHEN 'denied' THEN 'denied' ELSE 'gone' END WHERE live = 1 AND added NOT IN
    (SELECT max(added) FROM approvals WHERE live = 1 GROUP BY call_digest)`).run()
  sql('UPDATE approvals SET held = 0 WHERE live = 1').run()
}
