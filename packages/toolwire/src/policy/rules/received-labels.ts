// A model that has read something may write it into any later call, so labels stay with the caller, in this process.
import type { ResultLabel } from './rule-set.js'

const periodMs = { minute: 60_000, hour: 3_600_000, day: 86_400_000 } as const
const mostKept = 50_000

export class ReceivedLabels {
  readonly #until = new Map<string, number>()
  /** If there are too many entries, every caller counts as having received the dropped labels. */
  readonly #everybodyUntil = new Map<string, number>()

  has(caller: string, label: string): boolean {
    const until = Math.max(this.#until.get(keyOf(caller, label)) ?? 0, this.#everybodyUntil.get(label) ?? 0)
    return until > performance.now()
  }

  /** Returns a function that takes the labels back, for a call that was not made. */
  add(caller: string, labels: readonly ResultLabel[]): () => void {
    const added = labels.map(({ name, for: period = 'day' }) => this.#add(caller, name, performance.now() + periodMs[period]))
    return () => {
      for (const takeBack of added) takeBack()
    }
  }

  #add(caller: string, label: string, until: number): () => void {
    const key = keyOf(caller, label)
    const before = this.#until.get(key) ?? 0
    const after = Math.max(before, until)
    this.#until.delete(key) // moves the key to the end
    this.#until.set(key, after)
    if (this.#until.size > mostKept) this.#letGo()
    return () => {
      if (this.#until.get(key) === after) this.#until.set(key, before)
    }
  }

  #letGo(): void {
    const [[key, until] = ['', 0]] = this.#until
    const [label] = JSON.parse(key) as [label: string, caller: string] // made by keyOf
    this.#until.delete(key)
    this.#everybodyUntil.set(label, Math.max(until, this.#everybodyUntil.get(label) ?? 0))
  }
}

const keyOf = (caller: string, label: string): string => JSON.stringify([label, caller])
