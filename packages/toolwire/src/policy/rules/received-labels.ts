// A model that has read something may write it into any later call, so labels stay with the caller: here, in this process.
import type { HasReceived } from './facts.js'
import { type LabelHold, type LabelStore, periodMs } from './label-store.js'
import type { ResultLabel } from './rule-set.js'

const mostKept = 50_000

/** The open holds of one label of one caller, and the end of those that are over. */
type Received = { open: number; until: number; movedTo?: Received }

export class ReceivedLabels implements LabelStore {
  readonly #received = new Map<string, Received>()
  /** If there are too many entries, every caller counts as having received the dropped labels. */
  readonly #byEverybody = new Map<string, Received>()

  has(caller: string, label: string): boolean {
    const [now, own, all] = [performance.now(), this.#received.get(keyOf(caller, label)), this.#byEverybody.get(label)]
    return isInForce(own, now) || isInForce(all, now)
  }

  received(caller: string): HasReceived {
    return (label) => this.has(caller, label)
  }

  /** The caller counts as having received the labels from now on, because progress and questions reveal something, too. */
  hold(caller: string, labels: readonly ResultLabel[]): LabelHold {
    let held = labels.map(({ name, for: period = 'day' }) => ({ received: this.#open(caller, name), forMs: periodMs[period] }))
    const release = (untilOf: (forMs: number) => number) => {
      for (const { received, forMs } of held) {
        const kept = placeOf(received)
        kept.open--
        kept.until = Math.max(kept.until, untilOf(forMs))
      }
      held = []
    }
    return {
      end: (afterMs = 0) => release((forMs) => performance.now() + afterMs + forMs),
      takeBack: () => release(() => 0),
    }
  }

  #open(caller: string, label: string): Received {
    const key = keyOf(caller, label)
    const received = this.#received.get(key) ?? { open: 0, until: 0 }
    received.open++
    this.#received.delete(key) // moves the key to the end
    this.#received.set(key, received)
    if (this.#received.size > mostKept) this.#letGo()
    return received
  }

  #letGo(): void {
    const [[key, received] = ['', { open: 0, until: 0 }]] = this.#received
    const [label] = JSON.parse(key) as [label: string, caller: string] // made by keyOf
    const all = this.#byEverybody.get(label) ?? { open: 0, until: 0 }
    all.open += received.open
    all.until = Math.max(all.until, received.until)
    received.movedTo = all
    this.#received.delete(key)
    this.#byEverybody.set(label, all)
  }
}

const isInForce = (received: Received | undefined, now: number): boolean =>
  received !== undefined && (received.open > 0 || received.until > now)

const placeOf = (received: Received): Received => received.movedTo ?? received

const keyOf = (caller: string, label: string): string => JSON.stringify([label, caller])
