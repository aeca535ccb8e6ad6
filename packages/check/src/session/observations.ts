// Requirements for every message are checked as the messages arrive, so that none has to be kept.
import type { JsonObject } from 'toolwire'
import { excerptOf } from './transcript.js'

export type MessageRule = {
  readonly concerns: (message: JsonObject) => boolean
  readonly fault: (message: JsonObject) => string | undefined
}

/** The number of messages that a rule concerned, and their faults, each once. */
type Observed = { count: number; readonly faults: Set<string> }

const maxFaults = 20

export class Observations {
  readonly #observed: ReadonlyMap<MessageRule, Observed>

  constructor(rules: readonly MessageRule[]) {
    this.#observed = new Map(rules.map((rule) => [rule, { count: 0, faults: new Set() }]))
  }

  note(message: JsonObject): void {
    for (const [{ concerns, fault }, observed] of this.#observed) {
      if (!concerns(message)) continue
      observed.count++
      const found = observed.faults.size < maxFaults ? fault(message) : undefined
      if (found !== undefined) observed.faults.add(excerptOf(found))
    }
  }

  of(rule: MessageRule): Readonly<Observed> {
    return this.#observed.get(rule) ?? { count: 0, faults: new Set() }
  }
}
