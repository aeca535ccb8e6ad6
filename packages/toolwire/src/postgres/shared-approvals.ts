import { repeatWhile } from '../bounds/repeat-while.js'
import { readApprovalAnswer, type StandingApproval } from '../policy/approve/approval.js'
import { argumentsRoom, longCharacters } from '../policy/approve/memory-store.js'
import type { ApprovalState, ApprovalStore, PendingApproval, SettledApproval } from '../policy/approve/store.js'
import { reportFault } from '../server/report-fault.js'
import { forgetRows, hashOf, type RunSql, startTime, storable } from './database.js'

/** Milliseconds between two lookups for waiting calls. */
const lookEveryMs = 300
const usualPage = 100
/** As many as the store in memory keeps. */
const mostKept = { each: 5_000, all: 10_000 }
const onFault = (why: unknown) => void reportFault('looking for decisions of other replicas', why)

/** Closes the open request of a call after its time. Of the requests that are not held, one for each call is open. */
const close = (which: string) =>
  `UPDATE toolwire.shared_approvals SET open = false WHERE open AND until <= clock_timestamp() AND call_digest = ${which} RETURNING 1`

/** A request contains its arguments twice: as values and as displayed. */
const copies = 2
const longBytes = copies * longCharacters

/** Something long on its own always has room, for its caller as for all. PostgreSQL tells the length of a text without reading it. */
const hasRoom = (most: number, whose = ''): string => `coalesce(octet_length($5::text) + (
    SELECT sum(octet_length(asked)) FROM toolwire.shared_approvals
    WHERE until > clock_timestamp() AND octet_length(asked) > ${longBytes} ${whose}
  ) <= ${copies * most}, true)`

const add = `
WITH closed AS (${close('$2')}), closings AS (SELECT count(*) FROM closed), added AS (
  INSERT INTO toolwire.shared_approvals (id, call_digest, digest, caller, asked, held, open, until)
  SELECT $1, $2, $3, ${hashOf('$4')}, $5::text, $6::boolean, NOT $6::boolean, clock_timestamp() + $7::float8 * interval '1 millisecond'
  FROM closings
  WHERE $8::bigint > (
    SELECT count(*) FROM toolwire.shared_approvals
    WHERE caller = ${hashOf('$4')} AND state = 'pending' AND until > clock_timestamp()
  ) AND ${mostKept.all} > (
    SELECT count(*) FROM (SELECT FROM toolwire.shared_approvals WHERE until > clock_timestamp() LIMIT ${mostKept.all}) AS kept
  ) AND ${mostKept.each} > (
    SELECT count(*) FROM toolwire.shared_approvals WHERE caller = ${hashOf('$4')} AND until > clock_timestamp()
  ) AND (
    octet_length($5::text) <= ${longBytes}
    OR (${hasRoom(argumentsRoom.all)} AND ${hasRoom(argumentsRoom.each, `AND caller = ${hashOf('$4')}`)})
  )
  ON CONFLICT DO NOTHING RETURNING 1
)
SELECT EXISTS (SELECT FROM added) AS added, EXISTS (
  SELECT FROM toolwire.shared_approvals WHERE call_digest = $2 AND open AND until > clock_timestamp() AND NOT $6::boolean
) AS known
`

const decide = `
UPDATE toolwire.shared_approvals SET state = $2, answer = $3, version = version + 1
WHERE id = $1 AND state = 'pending' AND until > clock_timestamp() RETURNING 1
`

/** A request that was used or withdrawn is removed, so that its arguments take no room. */
const release = `
DELETE FROM toolwire.shared_approvals
WHERE id = $1 AND digest = $2 AND state = 'allowed' AND until > clock_timestamp() RETURNING 1
`

const leave = `
WITH closed AS (${close('(SELECT call_digest FROM toolwire.shared_approvals WHERE id = $1)')})
UPDATE toolwire.shared_approvals AS mine SET held = false, open = true, version = version + 1
WHERE id = $1 AND NOT open AND state NOT IN ('released', 'gone') AND until > clock_timestamp()
  AND (SELECT count(*) FROM closed) >= 0 AND NOT EXISTS (
    SELECT FROM toolwire.shared_approvals AS other
    WHERE other.call_digest = mine.call_digest AND other.open AND other.until > clock_timestamp()
  )
RETURNING 1
`

const withdraw = 'DELETE FROM toolwire.shared_approvals WHERE id = $1'

const state = `answer, CASE WHEN until <= clock_timestamp() AND state <> 'gone' THEN 'expired' ELSE state END AS state`
const columns = `asked, held, ${state}`

const pending = `
SELECT ${columns} FROM toolwire.shared_approvals WHERE state = 'pending' AND until > clock_timestamp() ORDER BY added_at, id LIMIT $1::bigint
`
const matching = `
SELECT ${columns} FROM toolwire.shared_approvals WHERE call_digest = $1 AND open AND until > clock_timestamp()
`
/** Without the arguments, because it runs several times a second for all calls that wait. */
const settled = `
SELECT id, ${state} FROM toolwire.shared_approvals WHERE id IN (SELECT json_array_elements_text($1::json))
`
/** Differs after each change. The newest time differs where as many requests were removed as added. */
const mark = `
SELECT count(*)::text || ' ' || coalesce(sum(version), 0)::text || ' ' || coalesce(extract(epoch FROM max(added_at)), 0)::text AS mark
FROM toolwire.shared_approvals
`

export const forgetApprovals = forgetRows('shared_approvals', 'id', `until < ${startTime} - interval '10 minutes'`)

type StateRow = { readonly id: string; readonly state: ApprovalState['state']; readonly answer: string | null }
type ApprovalRow = StateRow & { readonly asked: string; readonly held: boolean }
type Waiter = { resolve(settled: SettledApproval): void; reject(why: unknown): void }

/** Approvals that any replica may decide once and use once. Those that are added at the same moment may exceed the limit. */
export function sharedApprovals(sql: RunSql): ApprovalStore {
  const waiting = new Map<string, Set<Waiter>>()
  const listeners = new Set<() => void>()
  const changed = async (text: string, values: readonly unknown[]) => (await sql(text, values)).length === 1

  async function lookForSettled(): Promise<void> {
    const ids = [...waiting.keys()]
    const rows = await sql<StateRow>(settled, [JSON.stringify(ids)])
    const found = new Map(rows.map((row) => [row.id, stateIn(row)]))
    for (const id of ids) {
      const is = found.get(id) ?? { state: 'gone' }
      if (is.state === 'pending') continue
      for (const { resolve } of [...(waiting.get(id) ?? [])]) resolve(is)
    }
  }

  function giveUp(why: unknown): void {
    for (const { reject } of [...waiting.values()].flatMap((waiters) => [...waiters])) reject(why)
  }

  let seen: string | undefined
  async function lookForChanges(): Promise<void> {
    const [row] = await sql<{ mark: string }>(mark, [])
    const isOther = seen !== undefined && seen !== row?.mark
    seen = row?.mark
    if (isOther) for (const listener of listeners) listener()
  }

  const followSettled = repeatWhile(() => waiting.size > 0, lookForSettled, { everyMs: lookEveryMs, onFault, giveUp })
  const followChanges = repeatWhile(() => listeners.size > 0, lookForChanges, { everyMs: lookEveryMs, onFault })

  return {
    async add(asked, most) {
      const { id, callDigest, digest, caller, held, expiresAt } = asked
      const values = [id, callDigest, digest, storable(caller), JSON.stringify(asked), held, expiresAt - Date.now(), most]
      const [row] = await sql<{ added: boolean; known: boolean }>(add, values)
      return row?.added ? 'added' : row?.known || (await isOpen(callDigest, held)) ? 'known' : 'full'
    },
    decide(id, answer) {
      const { allowed, ...more } = readApprovalAnswer(answer)
      return changed(decide, [storable(id), allowed ? 'allowed' : 'denied', JSON.stringify(more)])
    },
    release: (id, digest) => changed(release, [storable(id), storable(digest)]),
    async leave(id) {
      try {
        return await changed(leave, [storable(id)])
      } catch (thrown) {
        // An identical request was left at the same moment.
        if (thrown instanceof Error && 'code' in thrown && thrown.code === '23505') return false
        throw thrown
      }
    },
    async withdraw(id) {
      await sql(withdraw, [storable(id)])
    },
    pending: async (most = usualPage) => (await sql<ApprovalRow>(pending, [most])).map(pendingApprovalIn),
    async matching(callDigest) {
      const [row] = await sql<ApprovalRow>(matching, [storable(callDigest)])
      return row && { asked: pendingApprovalIn(row), is: stateIn(row) }
    },
    settled(id, signal) {
      return new Promise((resolve, reject) => {
        const key = storable(id)
        const waiters = waiting.get(key) ?? new Set()
        const ending =
          <T>(settle: (value: T) => void) =>
          (value: T) => {
            signal.removeEventListener('abort', abort)
            waiters.delete(waiter)
            if (waiters.size === 0) waiting.delete(key)
            settle(value)
          }
        const waiter: Waiter = { resolve: ending(resolve), reject: ending(reject) }
        const abort = () => waiter.reject(signal.reason)
        if (signal.aborted) return reject(signal.reason)
        signal.addEventListener('abort', abort)
        waiting.set(key, waiters.add(waiter))
        followSettled()
      })
    },
    onChange(listener) {
      listeners.add(listener)
      followChanges()
      return () => void listeners.delete(listener)
    },
  }

  /** An identical call may have been added at the same moment, unseen by this statement. */
  async function isOpen(callDigest: string, held: boolean): Promise<boolean> {
    return !held && (await sql(matching, [callDigest])).length > 0
  }
}

const pendingApprovalIn = ({ asked, held }: ApprovalRow): PendingApproval => Object.freeze({ ...JSON.parse(asked), held })

function stateIn({ state, answer }: StateRow): ApprovalState {
  const said = JSON.parse(answer ?? '{}') as { always?: StandingApproval; why?: string }
  if (state === 'allowed') return { state, ...(said.always && { always: said.always }) }
  if (state === 'denied') return { state, ...(said.why !== undefined && { why: said.why }) }
  return { state } as ApprovalState // other states have no details
}
