// The rules in force: those of the operator's file, as it is now, or was when it could last be used; or those that came with the config.
import { isDeepStrictEqual } from 'node:util'
import type { ruleParts } from 'toolwire/relay'
import type { WatchedRules } from 'toolwire/rules'
import { Rulebook, watchRules } from 'toolwire/rules'
import type { NamedText } from '../../config/stored-config.js'
import { givenRules } from './configured-rules.js'

type PolicyFileOptions = {
  /** Other rules have come into force. */
  readonly onChange: () => void
  /** The file cannot be used; undefined when it can again. */
  readonly onTrouble: (trouble: Error | undefined) => void
  /** Which tools the cases beside the rules may be about. */
  readonly toolsFor: ruleParts.ToolsFor
  /** What is wrong with rules beyond what can be seen in them. */
  readonly check: NonNullable<ruleParts.ReadRulesOptions['check']>
}

export class PolicyFile implements ruleParts.RulesSource {
  /** Whether there is somebody to ask about what may change something. */
  asks: boolean
  readonly hits = ruleHits()
  /** What is made of tools that only read as far as an untrusted server says, where no rule decides. */
  readOnlyClaims: ruleParts.ReadOnlyClaims = 'wait'
  readonly #options: PolicyFileOptions
  /** The path of the file, or the text. */
  place: string | NamedText | undefined
  #watched: Pick<WatchedRules, 'current' | 'trouble' | 'close'> | undefined
  readonly #counting = { run: new WeakMap<Rulebook, Rulebook>(), wait: new WeakMap<Rulebook, Rulebook>() }
  #trouble: Error | undefined

  constructor(asks: boolean, options: PolicyFileOptions) {
    this.asks = asks
    this.#options = options
  }

  get current(): Rulebook {
    return this.#currentWhere(this.asks)
  }

  /** Of the file, or the name of the text. */
  get path(): string | undefined {
    return typeof this.place === 'object' ? this.place.name : this.place
  }

  /** The rules in force for a guard that can ask for approval, or one that cannot; it follows later edits. */
  where(asks: boolean): ruleParts.RulesSource {
    const current = () => this.#currentWhere(asks)
    return {
      get current() {
        return current()
      },
    }
  }

  get trouble(): Error | undefined {
    return this.#trouble ?? this.#watched?.trouble
  }

  /** How a text of rules is read here. */
  get reading(): Pick<ruleParts.ReadRulesOptions, 'toolsFor' | 'check'> {
    const { toolsFor, check } = this.#options
    return { toolsFor, check }
  }

  /** The file must be usable the first time; afterwards the rules in force stay until it is. */
  async open(place: PolicyFile['place']): Promise<void> {
    const { onChange: tell, onTrouble: onError } = this.#options
    const onChange = () => {
      // It was looking when it was closed.
      if (this.#watched !== watched) return
      onError(undefined)
      tell()
    }
    const watched =
      typeof place === 'string'
        ? await watchRules(place, { ...this.reading, onError, onChange })
        : place && { current: await givenRules(place, this.reading), trouble: undefined, close: () => undefined }
    this.#watched?.close()
    this.#watched = watched
    this.place = place
    this.#trouble = undefined
  }

  /** The same for a gateway that runs. */
  async change(place: PolicyFile['place']): Promise<void> {
    if (isDeepStrictEqual(place, this.place)) return
    try {
      await this.open(place)
    } catch (thrown) {
      this.#trouble = thrown instanceof Error ? thrown : new Error(String(thrown))
      return this.#options.onTrouble(this.#trouble)
    }
    this.#options.onChange()
  }

  /** Takes the file as it is now, without waiting until it is seen that it has changed. */
  async reread(): Promise<void> {
    const wasTroubled = this.trouble !== undefined
    await this.open(this.place)
    if (wasTroubled) this.#options.onTrouble(undefined)
    this.#options.onChange()
  }

  /** Other rules, as they would be in force here. */
  parse({ set }: Rulebook): Rulebook {
    return new Rulebook(set, { readOnlyClaims: this.readOnlyClaims })
  }

  close(): void {
    this.#watched?.close()
  }

  #currentWhere(asks: boolean): Rulebook {
    const book = this.#watched?.current ?? (asks ? noRules : noQuestions)
    const { readOnlyClaims } = this
    const known = this.#counting[readOnlyClaims].get(book)
    if (known) return known
    const counting = new CountingRules(book, this.hits, { readOnlyClaims })
    this.#counting[readOnlyClaims].set(book, counting)
    return counting
  }
}

/** A tool that only reads is allowed, and everything else is asked about. */
const noRules = new Rulebook({ rules: [] })
const noQuestions = new Rulebook({ rules: [], default: 'allow' })

/** The same rules, which count what they decide about real calls. */
class CountingRules extends Rulebook {
  readonly #hits: RuleHits

  constructor({ set }: Rulebook, hits: RuleHits, options: ruleParts.RulebookOptions) {
    super(set, options)
    this.#hits = hits
  }

  override judge(...call: Parameters<Rulebook['judge']>): ruleParts.RuleVerdict {
    const ruleVerdict = super.judge(...call)
    this.#hits.add(ruleVerdict.rule?.name)
    return ruleVerdict
  }
}

type HitCount = { readonly count: number; readonly lastAt: number }

const noHits: HitCount = { count: 0, lastAt: 0 }
const mostRules = 10_000

type RuleHits = ReturnType<typeof ruleHits>

/** How often rules have decided, by name, so that a rule which is moved or changed keeps its count. */
function ruleHits() {
  const hits = new Map<string | undefined, HitCount>()
  return {
    /** Undefined stands for what no rule decided about. */
    of: (rule: string | undefined): HitCount => hits.get(rule) ?? noHits,
    add(rule: string | undefined): void {
      const known = hits.get(rule)
      if (!known && hits.size >= mostRules) hits.clear()
      hits.set(rule, { count: (known?.count ?? 0) + 1, lastAt: Date.now() })
    },
  }
}
