import { type DatabaseConnection, prepare } from '../connection.js'

const maxPending = 10_000
const maxHistory = 1_000
/** What is read of a request. */
export const approvalColumns = 'asked, sealed, held, state, why, always, decider, decision, settled, expires, waits'

/** Each transition names the state it starts from, and how long there is time. */
export function approvalStatements(db: DatabaseConnection) {
  return {
    known: prepare(db, 'SELECT 1 AS there FROM approvals WHERE live = 1 AND held = 0 AND call_digest = ? AND until > ?'),
    insert: prepare(
      db,
      `INSERT INTO approvals (id, caller, server, tool, danger, call_digest, digest, held, asked, sealed, expires, waits, until, live, state)
     SELECT ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, 1, 'pending'
     WHERE (SELECT count(*) FROM approvals WHERE live = 1 AND state = 'pending' AND caller = ?) < ?
       AND (SELECT count(*) FROM approvals WHERE live = 1) < ${maxPending}
       AND NOT EXISTS (SELECT 1 FROM approvals WHERE id = ?)`,
    ),
    decide: prepare(
      db,
      `UPDATE approvals SET state = ?, why = ?, always = ?, decider = ?, decision = ?, settled = ? WHERE id = ? AND live = 1 AND state = 'pending' AND until > ?`,
    ),
    release: prepare(
      db,
      `UPDATE approvals SET state = 'released', live = 0 WHERE id = ? AND live = 1 AND state = 'allowed' AND digest = ? AND until > ?`,
    ),
    unhold: prepare(
      db,
      `UPDATE approvals SET held = 0 WHERE id = ? AND live = 1 AND held = 1 AND until > ? AND NOT EXISTS
       (SELECT 1 FROM approvals other WHERE other.live = 1 AND other.held = 0 AND other.call_digest = approvals.call_digest)`,
    ),
    withdraw: prepare(
      db,
      `UPDATE approvals SET state = 'gone', live = 0, settled = coalesce(settled, ?) WHERE id = ? AND live = 1 AND state <> 'denied'`,
    ),
    leave: prepare(db, `UPDATE approvals SET live = 0 WHERE id = ? AND live = 1 AND state = 'denied'`),
    // An allowance that was not used counts for nothing; a denial stays one.
    expire: prepare(
      db,
      `UPDATE approvals SET live = 0, state = CASE state WHEN 'denied' THEN 'denied' ELSE 'expired' END WHERE live = 1 AND until <= ?`,
    ),
    forget: prepare(
      db,
      `DELETE FROM approvals WHERE live = 0 AND added <=
       (SELECT added FROM approvals WHERE live = 0 ORDER BY added DESC LIMIT 1 OFFSET ${maxHistory})`,
    ),
    pending: prepare(
      db,
      `SELECT ${approvalColumns} FROM approvals WHERE live = 1 AND state = 'pending' AND until > ? ORDER BY added LIMIT ?`,
    ),
    matching: prepare(
      db,
      `SELECT ${approvalColumns} FROM approvals WHERE live = 1 AND held = 0 AND call_digest = ? AND until > ?`,
    ),
    one: prepare(db, `SELECT ${approvalColumns}, until FROM approvals WHERE id = ?`),
    waiting: prepare(db, `SELECT count(*) AS waiting FROM approvals WHERE live = 1 AND state = 'pending'`),
    unsealed: prepare(db, `SELECT id, asked FROM approvals WHERE live = 1 AND state = 'pending' AND sealed IS NULL`),
    sealed: prepare(db, `SELECT id, sealed FROM approvals WHERE live = 1 AND state = 'pending' AND sealed IS NOT NULL LIMIT 1`),
    reseal: prepare(db, 'UPDATE approvals SET asked = ?, sealed = ? WHERE id = ? AND sealed IS NULL'),
    past: prepare(
      db,
      `SELECT ${approvalColumns} FROM approvals
     WHERE state <> 'pending' AND (live = 0 OR until > ?) ORDER BY added DESC LIMIT ?`,
    ),
  }
}
