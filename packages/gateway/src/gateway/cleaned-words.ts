// Everything that upstreams say, cleaned by the rules of the config in force: connections stay open when these change.
import { type Policy, type Rules, sanitize, sanitizeRules } from 'toolwire/guard'

type Cleaning = Awaited<ReturnType<NonNullable<Policy['words']>>>

const off = Object.fromEntries(sanitizeRules.map((rule) => [rule, 'off'])) as Rules // a member for each

export class CleanedWords {
  #now: Cleaning | undefined

  /** From now on these rules are in force, for connections that are open as well. */
  async use(by: false | { readonly rules: Partial<Rules> }): Promise<void> {
    this.#now = await sanitize({ rules: by ? by.rules : off }).words()
  }

  readonly words = async (): Promise<Cleaning> => {
    const usual = await sanitize().words()
    const now = () => this.#now ?? usual
    return {
      make: () => now().make(),
      prepare: (value) => now().prepare?.(value),
      result: (result) => now().result(result),
      inTurns: (result) => now().inTurns(result),
    }
  }
}
