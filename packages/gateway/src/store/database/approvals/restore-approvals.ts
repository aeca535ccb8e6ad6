import { type DatabaseConnection, prepare } from '../connection.js'

/**
 * Nobody waits any more for what a process before this one was asked: a call that comes back finds the decision. Setting the clock
 * back while nothing ran gives nobody more time than they had.
 */
export function restoreApprovals(db: DatabaseConnection, { now, wall }: { readonly now: number; readonly wall: number }): void {
  prepare(db, 'UPDATE approvals SET until = ? + min(expires - ?, waits) WHERE live = 1').run(now, wall)
  prepare(
    db,
    `UPDATE approvals SET live = 0, state = CASE state WHEN 'denied' THEN 'denied' ELSE 'expired' END WHERE live = 1 AND until <= ?`,
  ).run(now)
  // Of identical calls that waited side by side the last one stands for all that come back.
  prepare(
    db,
    `UPDATE approvals SET live = 0, state = CASE state WHEN 'denied' THEN 'denied' ELSE 'gone' END WHERE live = 1 AND added NOT IN
       (SELECT max(added) FROM approvals WHERE live = 1 GROUP BY call_digest)`,
  ).run()
  prepare(db, 'UPDATE approvals SET held = 0 WHERE live = 1').run()
}
