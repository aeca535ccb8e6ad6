// The rules in force: those of the operator's file, as it is now, or was when it could last be used.
import type { RuleSet, RulesSource, WatchedRules } from 'toolwire/rules'
import { Rulebook, watchRules } from 'toolwire/rules'

export type PolicyFileOptions = {
  /** Whether there is somebody to ask about what may change something. */
  readonly approvals: boolean
  /** Other rules have come into force. */
  readonly onChange: () => void
  /** The file cannot be used; undefined when it can again. */
  readonly onTrouble: (trouble: Error | undefined) => void
}

export class PolicyFile implements RulesSource {
  readonly #options: PolicyFileOptions
  readonly #without: Rulebook
  #path: string | undefined
  #watched: WatchedRules | undefined
  #trouble: Error | undefined

  constructor(options: PolicyFileOptions) {
    this.#options = options
    this.#without = new Rulebook(options.approvals ? noRules : noQuestions)
  }

  get current(): Rulebook {
    return this.#watched?.current ?? this.#without
  }

  get path(): string | undefined {
    return this.#path
  }

  get trouble(): Error | undefined {
    return this.#trouble ?? this.#watched?.trouble
  }

  /** The file must be usable the first time; afterwards the rules in force stay until it is. */
  async open(path: string | undefined): Promise<void> {
    const { onChange, onTrouble } = this.#options
    const watched =
      path === undefined
        ? undefined
        : await watchRules(path, {
            onError: onTrouble,
            onChange: () => {
              onTrouble(undefined)
              onChange()
            },
          })
    this.#watched?.close()
    this.#watched = watched
    this.#path = path
    this.#trouble = undefined
  }

  /** The same for a gateway that runs. */
  async change(path: string | undefined): Promise<void> {
    if (path === this.#path) return
    try {
      await this.open(path)
    } catch (thrown) {
      this.#trouble = thrown instanceof Error ? thrown : new Error(String(thrown))
      return this.#options.onTrouble(this.#trouble)
    }
    this.#options.onChange()
  }

  close(): void {
    this.#watched?.close()
  }
}

/** What a tool does that only reads is allowed, and everything else is asked about. */
const noRules: RuleSet = { rules: [] }
const noQuestions: RuleSet = { rules: [], default: 'allow' }
