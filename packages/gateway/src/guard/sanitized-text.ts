// Everything that upstreams say, cleaned by the rules of the config in force: connections stay open when these change.
import { type Policy, type SanitizeRules, sanitize, sanitizeRules } from 'toolwire/guard'

type Cleaning = Awaited<ReturnType<NonNullable<Policy['words']>>>

const off = Object.fromEntries(sanitizeRules.map((rule) => [rule, 'off'])) as SanitizeRules // a member for each

export class SanitizedText {
  #now: Cleaning | undefined

  /** From now on these rules are in force, for connections that are open as well. */
  async use(by: false | { readonly rules: Partial<SanitizeRules> }): Promise<void> {
    this.#now = await sanitize({ rules: by ? by.rules : off }).words()
  }

  readonly policyWords = async (): Promise<Cleaning> => {
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
