// Records of what others can cause as often as they like: so many a minute of each kind, and then how many more there were.
import type { JsonObject } from 'toolwire'
import type { AuditLog } from 'toolwire/guard'
import { type RecordedAction, recordAction } from './record-action.js'

type Parts = {
  readonly log: () => AuditLog | undefined
  /** The log could not take a record. */
  readonly onTrouble: (words: string) => void
}

/** Of one kind in one minute. */
const most = 10
const minuteMs = 60_000

type Minute = { count: number; readonly refused: boolean; readonly timer: NodeJS.Timeout }

export class BoundedRecords {
  readonly #parts: Parts
  readonly #minutes = new Map<string, Minute>()
  #writing: Promise<void> = Promise.resolve()

  constructor(parts: Parts) {
    this.#parts = parts
  }

  /** Returns at once. */
  note(one: RecordedAction, log = this.#parts.log()): void {
    const minute = this.#minuteOf(one)
    minute.count++
    if (minute.count <= most) this.#write(one, log)
  }

  /** Settles when what was counted so far is written, too. */
  async close(): Promise<void> {
    for (const act of [...this.#minutes.keys()]) this.#over(act)
    await this.#writing
  }

  #minuteOf({ act, refused = false }: RecordedAction): Minute {
    const known = this.#minutes.get(act)
    if (known) return known
    const timer = setTimeout(() => this.#over(act), minuteMs).unref()
    const minute = { count: 0, refused, timer }
    this.#minutes.set(act, minute)
    return minute
  }

  #over(act: string): void {
    const { count = 0, refused = false, timer } = this.#minutes.get(act) ?? {}
    clearTimeout(timer)
    this.#minutes.delete(act)
    const about: JsonObject = { notRecorded: count - most, withinMs: minuteMs }
    if (count > most) this.#write({ by: 'toolwire', act, about, refused }, this.#parts.log())
  }

  #write(one: RecordedAction, log: AuditLog | undefined): void {
    const failed = (thrown: unknown) =>
      this.#parts.onTrouble(
        `"${one.act}" could not be recorded in the audit log: ${thrown instanceof Error ? thrown.message : thrown}`,
      )
    this.#writing = Promise.all([this.#writing, recordAction(log, one).catch(failed)]).then(() => undefined)
  }
}
