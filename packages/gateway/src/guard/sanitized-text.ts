// Everything that upstreams say, cleaned by the rules of the config in force: connections stay open when these change.
import { type Policy, sanitize } from 'toolwire/guard'
import { sanitizing } from 'toolwire/relay'

type Cleaning = Awaited<ReturnType<NonNullable<Policy['words']>>>

const off = Object.fromEntries(sanitizing.sanitizeRules.map((rule) => [rule, 'off'])) as sanitizing.SanitizeRules // a member for each

export class SanitizedText {
  #now: Cleaning | undefined

  /** From now on these rules are in force, for connections that are open as well. */
  async use(by: false | { readonly rules: Partial<sanitizing.SanitizeRules> }): Promise<void> {
    this.#now = await sanitize({ rules: by ? by.rules : off }).words()
  }

  readonly policyWords = async (): Promise<Cleaning> => {
    const usual = await sanitize().words()
    const now = () => this.#now ?? usual
    return { make: () => now().make(), result: (result) => now().result(result) }
  }
}
