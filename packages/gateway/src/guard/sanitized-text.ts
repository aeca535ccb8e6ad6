// Sanitizes all texts of upstreams by the rules of the current config, on open connections as well.
import { type Policy, sanitize } from 'toolwire/guard'
import { sanitizing } from 'toolwire/relay'

type Cleaning = Awaited<ReturnType<NonNullable<Policy['words']>>>

const off = Object.fromEntries(sanitizing.sanitizeRules.map((rule) => [rule, 'off'])) as sanitizing.SanitizeRules // every rule has a value

export class SanitizedText {
  #now: Cleaning | undefined

  /** Puts these rules into force, on open connections as well. */
  async use(by: false | { readonly rules: Partial<sanitizing.SanitizeRules> }): Promise<void> {
    this.#now = await sanitize({ rules: by ? by.rules : off }).words()
  }

  readonly policyWords = async (): Promise<Cleaning> => {
    const usual = await sanitize().words()
    const now = () => this.#now ?? usual
    return { make: () => now().make(), result: (result) => now().result(result) }
  }
}
