import type { JobArguments, JobResult, SharedRead, SharedWrite } from '../store-client.js'
import { approvalQueueReads } from './approvals/approval-queue-reads.js'
import { approvalReads } from './approvals/approval-reads.js'
import { approvalTransitions, type Runner } from './approvals/approval-transitions.js'
import type { ChangeFeed } from './change-feed.js'
import { type KeptValue, keptKey, keptValues } from './kept-values.js'
import { sealedValues } from './sealed-values.js'

type SharedJobs = { readonly [Name in SharedRead | SharedWrite]: (...args: JobArguments<Name>) => JobResult<Name> }

/** All jobs in PostgreSQL except those of the audit log. `replica` is this gateway. */
export function postgresJobs(
  runner: Runner,
  { feed, replica }: { readonly feed: ChangeFeed; readonly replica: string },
): SharedJobs {
  const { sql } = runner
  const kept = keptValues(sql)
  const inTurn = turnsByKey()

  function noteAll(changed: readonly KeptValue[]): void {
    for (const one of changed) feed.note(one)
  }

  async function keepAll(room: string, entries: Entries, keysAreUnique?: boolean): Promise<readonly KeptValue[]> {
    const parts = partsOf(entries)
    const [only] = parts
    if (only && parts.length === 1) return kept.put(room, only, keysAreUnique)
    const changed: KeptValue[] = []
    await runner.transaction(async (within) => {
      const { put } = keptValues(within)
      for (const part of parts) changed.push(...(await put(room, part, keysAreUnique)))
    })
    return changed
  }

  return {
    ...approvalTransitions(runner, replica),
    ...approvalReads(sql),
    ...approvalQueueReads(sql, replica),
    ...sealedValues(sql),
    // Arguments were always sealed here.
    resealApproval: async () => undefined,
    unsealedApprovals: async () => [],
    // The fingerprint of the key was compared before, so no request has to show that it is the right one.
    sealedApprovalAfter: async () => undefined,
    keep: (room, entries, keysAreUnique) =>
      inTurn(room, keysOf(entries), async () => noteAll(await keepAll(room, entries, keysAreUnique))),
    drop: (room, key) => inTurn(room, [key], async () => noteAll(await kept.drop(room, key))),
    all: feed.load,
    probe: async () => void (await sql('SELECT 1')),
  }
}

type Entries = readonly (readonly [key: string, value: string])[]

const keysOf = (entries: Entries): readonly string[] => entries.map(([key]) => key)

/** Values of one statement, in characters, because a long statement takes long to write. */
const mostInStatement = 200_000

/** Sorted, so that all gateways lock rows in the same order and none waits for another one in a circle. */
function partsOf(entries: Entries): Entries[] {
  const parts: (readonly [string, string])[][] = []
  let size = Number.POSITIVE_INFINITY
  for (const entry of entries.toSorted(([one], [other]) => (keptKey(one) < keptKey(other) ? -1 : 1))) {
    size += entry[1].length
    if (size > mostInStatement) {
      parts.push([])
      size = entry[1].length
    }
    parts.at(-1)?.push(entry)
  }
  return parts
}

/** Sends changes of a key to the database in the order in which they were made, although there are many connections. */
function turnsByKey() {
  const last = new Map<string, Promise<void>>()
  return (room: string, keys: readonly string[], work: () => Promise<void>): Promise<void> => {
    const names = keys.map((key) => JSON.stringify([room, key]))
    const before = names.flatMap((name) => last.get(name) ?? [])
    const mine = before.length > 0 ? Promise.allSettled(before).then(work) : work()
    for (const name of names) last.set(name, mine)
    const end = () => {
      for (const name of names) if (last.get(name) === mine) last.delete(name)
    }
    mine.then(end, end)
    return mine
  }
}
