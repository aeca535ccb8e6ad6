// Changes by other gateways. Twice a second, a gateway reads the rows changed by transactions that the last look may have missed.
import type { ApprovalListener, ChangeSource, KeptListener } from '../store-client.js'
import { approvalReads } from './approvals/approval-reads.js'
import type { Sql } from './connection.js'
import { type KeptValue, keptValues } from './kept-values.js'

type Changed = {
  readonly kind: 'now' | 'kept' | 'approval'
  readonly one: string
  readonly two: string | null
  readonly place: string | null
  readonly version: number | null
}

/**
 * Every row has the transaction that changed it. Transactions below the horizon of a snapshot were over when it was taken, so a look
 * that begins at the horizon of the last one misses none, in any order of commits. It may see rows twice, and sees them with every look
 * while a long transaction holds the horizon, so values are read afterwards, and only new ones. A database that was restored from a dump has
 * rows with later transactions of the database before, which would be read with every look.
 */
const sinceHorizon = 'changed >= $1::xid8 AND changed < pg_snapshot_xmax(pg_current_snapshot())'
const look = `SELECT 'now' AS kind, pg_snapshot_xmin(pg_current_snapshot())::text AS one, NULL AS two, NULL AS place, NULL::float8 AS version
  UNION ALL SELECT 'kept', room, key, place, version::float8 FROM toolwire.kept WHERE ${sinceHorizon}
  UNION ALL SELECT 'approval', id, state, NULL, NULL FROM toolwire.approvals WHERE ${sinceHorizon}`

/** Answers that were in flight when a value was dropped have arrived long since. */
const keepDroppedMs = 3_600_000

/** The last reported version of a value. That of a dropped value is kept for a time, so that no late answer brings the value back. */
type Reported = { readonly version: number; readonly droppedAt: number | undefined }

export type ChangeFeed = ReturnType<typeof changeFeed>

export function changeFeed(sql: Sql, now: () => number = () => performance.now()) {
  const kept = keptValues(sql)
  const { byIds } = approvalReads(sql)
  const keptListeners = new Map<string, Set<KeptListener>>()
  const approvalListeners = new Set<ApprovalListener>()
  /** By room and key. */
  const versions = new Map<string, Map<string, Reported>>()
  let horizon = '0'
  let seen: ReadonlyMap<string, string | null> = new Map()

  const versionsIn = (room: string): Map<string, Reported> => {
    const known = versions.get(room) ?? new Map<string, Reported>()
    versions.set(room, known)
    return known
  }

  function listenersIn(room: string): Set<KeptListener> {
    const listeners = keptListeners.get(room) ?? new Set()
    keptListeners.set(room, listeners)
    return listeners
  }

  function tell(room: string, key: string, value: string | undefined): void {
    for (const listener of listenersIn(room)) listener(key, value)
  }

  const isNew = ({ room, key, version }: Omit<KeptValue, 'value'>): boolean =>
    (versionsIn(room).get(key)?.version ?? -1) < version

  function remember({ room, key, value, version }: KeptValue): void {
    versionsIn(room).set(key, { version, droppedAt: value === null ? now() : undefined })
  }

  /** Reports a value, unless a later one of its key was reported. */
  function note(kept: KeptValue): void {
    const { room, key, value } = kept
    if (!isNew(kept)) return
    remember(kept)
    tell(room, key, value ?? undefined)
  }

  async function noteApprovals(states: ReadonlyMap<string, string | null>): Promise<void> {
    const ids = [...states].flatMap(([id, state]) => (seen.get(id) === state ? [] : [id]))
    if (ids.length > 0 && approvalListeners.size > 0)
      for (const [id, row] of await byIds(ids)) for (const listener of approvalListeners) listener(id, row)
    seen = states
  }

  return {
    changes: {
      onKept: (room, listener) => void listenersIn(room).add(listener),
      onApproval: (listener) => void approvalListeners.add(listener),
    } satisfies Omit<ChangeSource, 'look' | 'wait'>,
    note,
    /** Returns all values of a room, and remembers their versions. */
    async load(room: string): Promise<(readonly [key: string, value: string])[]> {
      const known = versionsIn(room)
      // A look may report later values while the rows are under way, before the caller listens.
      const later = new Map<string, string | undefined>()
      const noteLater: KeptListener = (key, value) => void later.set(key, value)
      const listeners = listenersIn(room).add(noteLater)
      const rows = await kept.all(room).finally(() => listeners.delete(noteLater))
      const values = new Map<string, string | null | undefined>()
      for (const row of rows) {
        const { key, value, version } = row
        if ((known.get(key)?.version ?? -1) > version) continue
        remember(row)
        values.set(key, value)
        later.delete(key)
      }
      return [...values, ...later].flatMap(([key, value]) => (value == null ? [] : [[key, value] as const]))
    },
    /** Reports changes since the last look. The first look reports nothing. */
    async look(): Promise<void> {
      const isFirst = horizon === '0'
      const since = isFirst ? '18446744073709551615' : horizon
      const states = new Map<string, string | null>()
      const changed: (Omit<KeptValue, 'value'> & { readonly place: string })[] = []
      let next = horizon
      for (const { kind, one, two, place, version } of await sql<Changed>(look, [since])) {
        if (kind === 'now') next = one
        else if (kind === 'approval') states.set(one, two)
        else changed.push({ room: one, key: two ?? '', place: place ?? '', version: version ?? 0 })
      }
      for (const value of await kept.of(changed.filter(isNew))) note(value)
      await noteApprovals(states)
      horizon = next
    },
    /** Forgets values that were dropped long ago. */
    forgetDropped(): void {
      const since = now() - keepDroppedMs
      for (const known of versions.values())
        for (const [key, { droppedAt }] of known) if (droppedAt !== undefined && droppedAt < since) known.delete(key)
    },
    /** Reads everything again after a time in which changes may have been missed, and drops values that are gone. */
    async reread(): Promise<void> {
      for (const [room, known] of versions) {
        const before = [...known.keys()]
        const rows = await kept.all(room)
        const there = new Set(rows.map(({ key }) => key))
        for (const row of rows) note(row)
        for (const key of before) {
          if (there.has(key)) continue
          known.delete(key)
          tell(room, key, undefined)
        }
      }
    },
  }
}
