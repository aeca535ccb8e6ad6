import type { approvals } from 'toolwire/relay'
import { bytesCell, type DatabaseConnection, numberCell, type Row, textCell } from '../connection.js'
import { approvalStatements } from './approval-statements.js'

/** A request as it goes into the table: its arguments sealed, and all the rest of it in the text. */
export type NewApproval = {
  readonly id: string
  readonly caller: string
  readonly server: string | undefined
  readonly tool: string
  readonly danger: number
  readonly callDigest: string
  readonly digest: string
  readonly held: boolean
  readonly text: string
  readonly sealed: Uint8Array
  /** Milliseconds since 1970, and how many milliseconds that was away when it was asked. */
  readonly expiresAt: number
  readonly waitsMs: number
}

export type ApprovalDecision = {
  readonly state: 'allowed' | 'denied'
  readonly why?: string
  readonly always?: approvals.StandingApproval
  /** Who has decided. */
  readonly by?: string
}

/** What is kept of a request. */
export type ApprovalRow = {
  readonly text: string
  /** Only while it waits. */
  readonly sealed?: Uint8Array
  readonly held: boolean
  readonly state: 'pending' | 'allowed' | 'denied' | 'released' | 'expired' | 'gone'
  readonly why?: string
  readonly always?: approvals.StandingApproval
  readonly by?: string
  /** The decision, whether or not it took effect. */
  readonly decision?: 'allow' | 'deny'
  /** Milliseconds since 1970. */
  readonly askedAt: number
  readonly settledAt?: number
}

type ApprovalStanding = { readonly kept: ApprovalRow; readonly leftMs: number } | undefined

/**
 * Requests for approval. Each transition is one statement that names the state it starts from, and counts only if it changed a row:
 * of any number of deciders one gets through. `now` is a monotonic clock; the one on the wall only counts across a restart.
 */
export function approvalRows(db: DatabaseConnection) {
  const statements = approvalStatements(db)
  return {
    add(one: NewApproval, most: number, now: number): 'added' | 'full' | 'known' {
      statements.expire.run(now)
      statements.forget.run()
      const { id, caller, callDigest, digest, held, text, sealed, expiresAt, waitsMs } = one
      if (!held && statements.known.first(callDigest, now)) return 'known'
      const about = [id, caller, one.server ?? null, one.tool, one.danger]
      const cells = [...about, callDigest, digest, held ? 1 : 0, text, Buffer.from(sealed), expiresAt, waitsMs, now + waitsMs]
      return statements.insert.run(...cells, caller, most, id) === 1 ? 'added' : 'full'
    },
    decide(id: string, { state, why, always, by }: ApprovalDecision, now: number): boolean {
      const said = [why ?? null, always ? JSON.stringify(always) : null, by ?? null, state === 'allowed' ? 'allow' : 'deny']
      return statements.decide.run(state, ...said, Date.now(), id, now) === 1
    },
    release: (id: string, digest: string, now: number): boolean => statements.release.run(id, digest, now) === 1,
    leave: (id: string, now: number): boolean => statements.unhold.run(id, now) === 1,
    /** A caller that was refused leaves too; the refusal stays. */
    withdraw(id: string): boolean {
      statements.leave.run(id)
      return statements.withdraw.run(Date.now(), id) === 1
    },
    pending: (most: number, now: number): ApprovalRow[] => statements.pending.all(now, most).map(approvalRowOf),
    matching(callDigest: string, now: number): ApprovalRow | undefined {
      const row = statements.matching.first(callDigest, now)
      return row && approvalRowOf(row)
    },
    standing(id: string, now: number): ApprovalStanding {
      const row = statements.one.first(id)
      if (!row) return undefined
      const kept = approvalRowOf(row)
      const leftMs = (numberCell(row.until) ?? now) - now
      const isOver = leftMs <= 0 && (kept.state === 'pending' || kept.state === 'allowed')
      return { kept: isOver ? { ...kept, state: 'expired' } : kept, leftMs }
    },
    /** What nobody has decided about in time waits no longer; gives how many do still. */
    expire(now: number): number {
      statements.expire.run(now)
      return numberCell(statements.waiting.first()?.waiting) ?? 0
    },
    /** Those that an older version has kept as they were. */
    unsealed: (): { id: string; text: string }[] =>
      statements.unsealed.all().map(({ id, asked }) => ({ id: textCell(id) ?? '', text: textCell(asked) ?? '{}' })),
    /** One that waits, to see whether it can be opened. */
    anySealed(): { id: string; sealed: Uint8Array } | undefined {
      const row = statements.sealed.first()
      const sealed = bytesCell(row?.sealed)
      return sealed && { id: textCell(row?.id) ?? '', sealed }
    },
    reseal: (id: string, text: string, sealed: Uint8Array): void => void statements.reseal.run(text, Buffer.from(sealed), id),
    history: (most: number, now: number): ApprovalRow[] => statements.past.all(now, most).map(approvalRowOf),
  }
}

export function approvalRowOf(row: Row): ApprovalRow {
  const [why, always, by, decision] = [row.why, row.always, row.decider, row.decision].map(textCell)
  const settledAt = numberCell(row.settled)
  const sealed = bytesCell(row.sealed)
  return {
    text: textCell(row.asked) ?? '{}',
    ...(sealed && { sealed }),
    held: row.held === 1,
    state: textCell(row.state) as ApprovalRow['state'], // the statements above know no others
    ...(why !== undefined && { why }),
    ...(always !== undefined && { always: JSON.parse(always) as approvals.StandingApproval }), // `decide` has written it
    ...(by !== undefined && { by }),
    ...(decision !== undefined && { decision: decision as 'allow' | 'deny' }), // the statements know no others
    askedAt: Math.round((numberCell(row.expires) ?? 0) - (numberCell(row.waits) ?? 0)),
    ...(settledAt !== undefined && { settledAt }),
  }
}
