// A request for approval as a row of any database.
import type { PendingApproval } from 'toolwire/guard'
import type { approvals } from 'toolwire/relay'
import { bytesIn, withoutNulls } from '../database/cells.js'

/**
 * Maximum numbers of live requests, of one caller and of all: pending ones, and decided ones until they are used or expire. `mostPastRows`
 * is the maximum number of those in the history.
 */
export const mostLiveRows = { each: 5_000, all: 10_000 }
export const mostPastRows = 1_000
/**
 * Maximum bytes of sealed arguments of pending requests, of one caller and of all, so that they cannot fill the disk. Requests with `short`
 * ones are limited only by their number.
 */
export const sealedRoom = { each: 64 * 1024 * 1024, all: 512 * 1024 * 1024, short: 32 * 1024 }

/** A request to insert: its arguments are sealed, and the text holds all the rest. */
export type NewApproval = Pick<PendingApproval, 'id' | 'caller' | 'server' | 'callDigest' | 'digest' | 'held' | 'expiresAt'> & {
  readonly tool: string
  readonly danger: number
  readonly text: string
  readonly sealed: Uint8Array
  /** Milliseconds between the request and its expiry. */
  readonly waitsMs: number
}

export type ApprovalDecision = {
  readonly state: 'allowed' | 'denied'
  readonly why?: string
  readonly always?: approvals.StandingApproval
  /** Id of the decider. */
  readonly by?: string
}

/** Uses an approval for the one call that it was given for. */
export type ApprovalUse = { readonly id: string; readonly digest: string }

export type ApprovalCells = {
  readonly text: string
  /** Present only while the request is pending. */
  readonly sealed: Uint8Array | null
  readonly held: number
  readonly state: 'pending' | 'allowed' | 'denied' | 'released' | 'expired' | 'gone'
  readonly why: string | null
  readonly always: string | null
  readonly by: string | null
  /** The decision, whether or not it took effect. */
  readonly decision: 'allow' | 'deny' | null
  /** Milliseconds since 1970. */
  readonly settledAt: number | null
  readonly expires: number
  readonly waits: number
}

export type ApprovalRow = Pick<ApprovalCells, 'text' | 'state'> & {
  readonly held: boolean
  readonly askedAt: number
  readonly sealed?: Uint8Array
  readonly why?: string
  readonly always?: approvals.StandingApproval
  readonly by?: string
  readonly decision?: 'allow' | 'deny'
  readonly settledAt?: number
}

export function approvalRowOf(cells: ApprovalCells): ApprovalRow {
  const { text, held, state, why, by, decision, settledAt, sealed, always, expires, waits } = cells
  return {
    ...withoutNulls({ text, state, why, by, decision, settledAt }),
    held: held === 1,
    askedAt: Math.round(expires - waits),
    ...(sealed && { sealed: bytesIn(sealed) }),
    ...(always !== null && { always: JSON.parse(always) as approvals.StandingApproval }), // `decide` has written it
  }
}
