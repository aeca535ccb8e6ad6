// The rules in force: the last usable content of the operator's file, or the rules that came with the config.
import { isDeepStrictEqual } from 'node:util'
import type { ruleParts } from 'toolwire/relay'
import type { WatchedRules } from 'toolwire/rules'
import { Rulebook, watchRules } from 'toolwire/rules'
import { oneAtATime } from '../../bounds/one-at-a-time.js'
import { readContent } from '../../config/editing/replace-file.js'
import type { PolicyText } from '../../config/gateway-config.js'
import { givenRules } from './configured-rules.js'

type PolicyFileOptions = {
  readonly onChange: () => void
  /** Called when the file cannot be used, and with undefined when it can again. */
  readonly onTrouble: (trouble: Error | undefined) => void
  /** Finds the tools that the cases beside the rules may be about. */
  readonly toolsFor: ruleParts.ToolsFor
  /** Checks rules for problems that the rules alone do not show. */
  readonly check: NonNullable<ruleParts.ReadRulesOptions['check']>
}

export class PolicyFile implements ruleParts.RulesSource {
  /** True if calls can be sent to approval. */
  asks: boolean
  readonly hits = ruleHits()
  /** Treatment of read-only claims by untrusted servers, where no rule decides. */
  readOnlyClaims: ruleParts.ReadOnlyClaims = 'wait'
  readonly #options: PolicyFileOptions
  /** The path of the file, or the text. */
  place: string | PolicyText | undefined
  #watched: Pick<WatchedRules, 'current' | 'trouble' | 'close'> | undefined
  readonly #counting = { run: new WeakMap<Rulebook, Rulebook>(), wait: new WeakMap<Rulebook, Rulebook>() }
  /** The reason why the rules that the config names are not in force. */
  #trouble: Error | undefined
  /** The config and the console may bring other rules at the same moment. */
  readonly #inTurn = oneAtATime()

  constructor(asks: boolean, options: PolicyFileOptions) {
    this.asks = asks
    this.#options = options
  }

  get current(): Rulebook {
    return this.#currentWhere(this.asks)
  }

  /** The path of the file, or the name of the text. */
  get path(): string | undefined {
    return typeof this.place === 'object' ? this.place.name : this.place
  }

  /** The path of the file; undefined if the rules are in none. */
  get file(): string | undefined {
    return typeof this.place === 'object' && !this.place.isFile ? undefined : this.path
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

  get reading(): Pick<ruleParts.ReadRulesOptions, 'toolsFor' | 'check'> {
    const { toolsFor, check } = this.#options
    return { toolsFor, check }
  }

  /** Opens the rules and throws if they are unusable. After unusable edits, the rules in force stay. */
  async open(place: PolicyFile['place']): Promise<void> {
    const { onTrouble: onError } = this.#options
    const onChange = () => {
      // A closed watcher may still report a change.
      if (this.#watched === watched) this.#reportChange(true)
    }
    const watched =
      typeof place === 'string'
        ? await watchRules(place, { ...this.reading, onError, onChange })
        : place && { current: await givenRules(place, this.reading), trouble: undefined, close: () => undefined }
    this.#watched?.close()
    this.#watched = watched
    this.place = place
  }

  /** Opens other rules while the gateway runs. If they are unusable, the rules in force stay. */
  change(place: PolicyFile['place']): Promise<void> {
    return this.#inTurn(async () => {
      if (isDeepStrictEqual(place, this.place) && !this.#trouble) return
      const wasTroubled = this.trouble !== undefined
      try {
        await this.open(place)
      } catch (thrown) {
        this.#trouble = thrown instanceof Error ? thrown : new Error(String(thrown))
        return this.#options.onTrouble(this.#trouble)
      }
      this.#trouble = undefined
      this.#reportChange(wasTroubled)
    })
  }

  /** Puts the text that was written to the file in force, without waiting for a watcher, unless other rules have followed it. */
  written(file: string, text: string): Promise<void> {
    return this.#inTurn(async () => {
      const { place } = this
      if (this.file !== file) return
      if (typeof place === 'object' && (await readContent(file)) !== text) return
      const wasTroubled = this.trouble !== undefined
      await this.open(typeof place === 'object' ? { ...place, text } : place)
      this.#reportChange(wasTroubled)
    })
  }

  #reportChange(wasTroubled: boolean): void {
    if (wasTroubled && !this.trouble) this.#options.onTrouble(undefined)
    this.#options.onChange()
  }

  /** The given rules, with the options of the rules in force. */
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

/** Read-only tools are allowed; all other calls need approval. */
const noRules = new Rulebook({ rules: [] })
const noQuestions = new Rulebook({ rules: [], default: 'allow' })

/** Rules that count their decisions about real calls. */
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

/** Counts decisions by the rule's name, so that a moved or edited rule keeps its count. */
function ruleHits() {
  const hits = new Map<string | undefined, HitCount>()
  return {
    /** The count of a rule, or with undefined the count of calls that no rule covered. */
    of: (rule: string | undefined): HitCount => hits.get(rule) ?? noHits,
    add(rule: string | undefined): void {
      const known = hits.get(rule)
      if (!known && hits.size >= mostRules) hits.clear()
      hits.set(rule, { count: (known?.count ?? 0) + 1, lastAt: Date.now() })
    },
  }
}
