// Bounds records that others can cause at will: a few of each kind in a minute, and then one with the count of the rest.
import type { AuditLog } from 'toolwire/guard'
import { type RecordedAction, recordAction } from './record-action.js'

/** Records of one kind in one minute. */
const most = 10
const minuteMs = 60_000

type Minute = { count: number; readonly refused: boolean; readonly timer: NodeJS.Timeout }

export type BoundedRecords = ReturnType<typeof boundedRecords>

/** Calls `onTrouble` when the log cannot take a record. */
export function boundedRecords(logOf: () => AuditLog | undefined, onTrouble: (words: string) => void) {
  const minutes = new Map<string, Minute>()
  let writing: Promise<void> = Promise.resolve()

  function minuteOf({ act, refused = false }: RecordedAction): Minute {
    const known = minutes.get(act)
    if (known) return known
    const minute = { count: 0, refused, timer: setTimeout(() => over(act), minuteMs).unref() }
    minutes.set(act, minute)
    return minute
  }

  function over(act: string): void {
    const { count = 0, refused = false, timer } = minutes.get(act) ?? {}
    clearTimeout(timer)
    minutes.delete(act)
    const about = { notRecorded: count - most, withinMs: minuteMs }
    if (count > most) void write({ by: 'toolwire', act, about, refused }, logOf())
  }

  function write(one: RecordedAction, log: AuditLog | undefined): Promise<boolean> {
    const failed = (thrown: unknown) => {
      onTrouble(`"${one.act}" could not be recorded in the audit log: ${thrown instanceof Error ? thrown.message : thrown}`)
      return false
    }
    const written = recordAction(log, one).then(() => true, failed)
    writing = Promise.all([writing, written]).then(() => undefined)
    return written
  }

  return {
    /** The promise tells whether the record is safe. A record that is only counted does not need to be. */
    async note(one: RecordedAction, log = logOf()): Promise<boolean> {
      const minute = minuteOf(one)
      minute.count++
      return minute.count > most || write(one, log)
    },
    /** Settles when all records are written, including the counts so far. */
    async close(): Promise<void> {
      for (const act of [...minutes.keys()]) over(act)
      await writing
    },
  }
}
