import type { ruleParts } from 'toolwire/relay'
import { Rulebook } from 'toolwire/rules'

export type HitCount = { count: number; lastAt: number }

const none: Readonly<HitCount> = { count: 0, lastAt: 0 }
const mostKept = 10_000

/** How often rules have decided, by name, so that a rule which is moved or changed keeps its count. */
export class RuleHits {
  readonly #hits = new Map<string | undefined, HitCount>()

  /** Undefined stands for what no rule decided about. */
  of(rule: string | undefined): Readonly<HitCount> {
    return this.#hits.get(rule) ?? none
  }

  add(rule: string | undefined): void {
    const hits = this.#hits.get(rule) ?? this.#new(rule)
    hits.count++
    hits.lastAt = Date.now()
  }

  #new(rule: string | undefined): HitCount {
    if (this.#hits.size >= mostKept) this.#hits.clear()
    const hits = { count: 0, lastAt: 0 }
    this.#hits.set(rule, hits)
    return hits
  }
}

/** The same rules, which count what they decide about real calls. */
export class CountingRules extends Rulebook {
  readonly #hits: RuleHits

  constructor({ set }: Rulebook, hits: RuleHits, options?: ruleParts.RulebookOptions) {
    super(set, options)
    this.#hits = hits
  }

  override judge(...call: Parameters<Rulebook['judge']>): ruleParts.RuleVerdict {
    const verdict = super.judge(...call)
    this.#hits.add(verdict.rule?.name)
    return verdict
  }
}
