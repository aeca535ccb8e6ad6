// Labels that callers have received, for all replicas. A row is written before anything of a labelled call can reach its caller. It lasts a
// minute longer than the period of the label, so that its renewal, and the end of the call, may fail for a while.
import { repeatWhile } from '../bounds/repeat-while.js'
import type { HasReceived } from '../policy/rules/facts.js'
import { type LabelHold, type LabelStore, periodMs } from '../policy/rules/label-store.js'
import type { ResultLabel } from '../policy/rules/rule-set.js'
import { reportFault } from '../server/report-fault.js'
import { forgetRows, hashOf, type RunSql, startTime, storable } from './database.js'
import { inBatches } from './in-batches.js'

const extraMs = 60_000
/** A row is written again when less than this is left of the extra time. */
const leastExtraMs = 30_000
const usualRenewalMs = 10_000
const mostKept = 50_000

/** A statement that arrives late, after its deadline, changes nothing that a later one has written. */
const write = `
INSERT INTO toolwire.shared_labels AS kept (holder, caller, label, until, version)
SELECT holder, ${hashOf('caller')}, label, clock_timestamp() + ms * interval '1 millisecond', version
FROM unnest($1::text[], $2::text[], $3::text[], $4::float8[], $5::bigint[]) AS given(holder, caller, label, ms, version)
ON CONFLICT (holder) DO UPDATE SET until = excluded.until, version = excluded.version WHERE kept.version < excluded.version
`

const read = `
SELECT DISTINCT place::int AS place, label
FROM unnest($1::text[]) WITH ORDINALITY AS asked(id, place)
JOIN toolwire.shared_labels AS kept ON kept.caller = ${hashOf('asked.id')}
WHERE until > clock_timestamp()
`

export const forgetLabels = forgetRows('shared_labels', 'holder', `until < ${startTime}`)

/** The holds of one label of one caller in this process, and their row. Times are those of `performance.now()`. */
type HeldLabel = {
  readonly holder: string
  readonly caller: string
  readonly label: string
  /** The period of each open hold. */
  readonly open: number[]
  /** The latest end of the holds that are over. */
  until: number
  /** The row lasts at least until then. */
  written: number
  /** True if a statement failed, so that the row may last longer. */
  isUncertain: boolean
}

/** Labels by the clock of the database. Every process has rows of its own, so that none takes back the label of another. */
export function sharedLabels(sql: RunSql, renewEveryMs = usualRenewalMs): LabelStore {
  const rows = new LabelRows(sql, renewEveryMs)
  const readRows = inBatches<string, ReadonlySet<string>>((callers) => readLabels(sql, callers))
  return {
    received(caller, labels) {
      const heldHere: HasReceived = (label) => rows.isHeld(caller, label)
      if (labels.every(heldHere)) return heldHere
      return readRows(caller).then((found) => (label) => found.has(storable(label)) || heldHere(label))
    },
    hold(caller, labels) {
      const open = labels.map((label) => ({ one: rows.of(caller, label.name), forMs: periodOf(label) }))
      const hold = holdOf(open, rows)
      for (const { one, forMs } of open) one.open.push(forMs)
      const writing = rows.write(open.map(({ one }) => one))
      return writing ? heldOnceWritten(hold, writing) : hold
    },
  }
}

async function readLabels(sql: RunSql, callers: readonly string[]): Promise<readonly ReadonlySet<string>[]> {
  const ids = [...new Set(callers)]
  const found = new Map(ids.map((id) => [id, new Set<string>()]))
  for (const { place, label } of await sql<{ place: number; label: string }>(read, [ids.map(storable)]))
    found.get(ids[place - 1] ?? '')?.add(label)
  return callers.map((id) => found.get(id) ?? new Set<string>())
}

/** A held label, and its period. */
type OpenHold = { readonly one: HeldLabel; readonly forMs: number }

function holdOf(holds: readonly OpenHold[], rows: LabelRows): LabelHold {
  let open = holds
  const release = (untilOf: (forMs: number) => number) => {
    for (const { one, forMs } of open) {
      one.open.splice(one.open.indexOf(forMs), 1)
      one.until = Math.max(one.until, untilOf(forMs))
      rows.writeLater(one)
    }
    open = []
  }
  return {
    end: (afterMs = 0) => release((forMs) => performance.now() + afterMs + forMs),
    takeBack: () => release(() => 0),
  }
}

async function heldOnceWritten(hold: LabelHold, writing: Promise<unknown>): Promise<LabelHold> {
  try {
    await writing
    return hold
  } catch (thrown) {
    hold.takeBack()
    throw thrown
  }
}

/** The labels that are held in this process, and their rows. */
class LabelRows {
  readonly #sql: RunSql
  readonly #held = new Map<string, HeldLabel>()
  /** Those with open holds, or with a row that is not as it should be. */
  readonly #unsettled = new Set<HeldLabel>()
  readonly #writeRow: (one: HeldLabel) => Promise<undefined>
  readonly #renew: () => void
  #version = 0

  constructor(sql: RunSql, everyMs: number) {
    this.#sql = sql
    this.#writeRow = inBatches((asked) => this.#writeDue(asked))
    const onFault = (why: unknown) => void reportFault('received labels in PostgreSQL', why)
    const settleAll = async () => void (await Promise.all([...this.#unsettled].map((one) => this.#settle(one))))
    this.#renew = repeatWhile(() => this.#unsettled.size > 0, settleAll, { everyMs, onFault })
  }

  isHeld(caller: string, label: string): boolean {
    const one = this.#held.get(keyOf(caller, label))
    return one !== undefined && (one.open.length > 0 || one.until > performance.now())
  }

  of(caller: string, label: string): HeldLabel {
    const key = keyOf(caller, label)
    const known = this.#held.get(key)
    const one = known ?? { holder: crypto.randomUUID(), caller, label, open: [], until: 0, written: 0, isUncertain: false }
    if (known) this.#held.delete(key)
    else if (this.#held.size >= mostKept) this.#forgetOldest()
    this.#held.set(key, one) // at the end
    return one
  }

  /** Undefined if no row needs a change. */
  write(held: readonly HeldLabel[]): Promise<unknown> | undefined {
    const writing = held.flatMap((one) => this.#settle(one) ?? [])
    this.#renew()
    return writing.length === 0 ? undefined : Promise.all(writing)
  }

  /** A row that cannot be written is left to the renewal, which reports the fault. */
  writeLater(one: HeldLabel): void {
    this.write([one])?.catch(() => undefined)
  }

  /** Undefined if the row needs no change. */
  #settle(one: HeldLabel): Promise<undefined> | undefined {
    this.#unsettled.add(one)
    if (isDue(one, performance.now())) return this.#writeRow(one)
    if (one.open.length === 0) this.#unsettled.delete(one)
    return undefined
  }

  async #writeDue(asked: readonly HeldLabel[]): Promise<readonly []> {
    const now = performance.now()
    const due = [...new Set(asked)].filter((one) => isDue(one, now))
    const rows = due.map((one) => ({ one, until: Math.max(wantedUntil(one, now), now) }))
    if (rows.length === 0) return []
    for (const { one, until } of rows) {
      one.written = Math.min(one.written, until)
      one.isUncertain = true
    }
    await this.#sql(write, [
      due.map(({ holder }) => holder),
      due.map(({ caller }) => storable(caller)),
      due.map(({ label }) => storable(label)),
      rows.map(({ until }) => until - now),
      due.map(() => ++this.#version),
    ])
    for (const { one, until } of rows) {
      one.written = until
      one.isUncertain = false
    }
    return []
  }

  /** Its row stays as it is. The next hold of that label has a row of its own. */
  #forgetOldest(): void {
    for (const [key, one] of this.#held) if (!this.#unsettled.has(one)) return void this.#held.delete(key)
  }
}

const periodOf = ({ for: period = 'day' }: ResultLabel): number => periodMs[period]

const wantedUntil = ({ open, until }: HeldLabel, now: number, moreMs = extraMs): number =>
  Math.max(until, open.length > 0 ? now + Math.max(...open) + moreMs : 0)

/** True if the row ends too early, or so late that it is not the extra time alone, or if its end is uncertain. */
function isDue(one: HeldLabel, now: number): boolean {
  if (one.isUncertain || one.written < wantedUntil(one, now, leastExtraMs)) return true
  return one.written > now && one.written > wantedUntil(one, now) + extraMs
}

const keyOf = (caller: string, label: string): string => JSON.stringify([label, caller])
