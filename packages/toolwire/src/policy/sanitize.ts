import { checkOptions, type KnownOptions } from '../tools/known-options.js'
import { Refusal } from '../tools/refusal.js'
import type { ToolResult } from '../tools/result.js'
import type { ToolCall } from '../tools/tool.js'
import type { Policy } from './policy.js'
import { ownSecrets, type SecretKind } from './sanitize/own-secrets.js'
import type { Cleaning } from './sanitize/result-cleaner.js'
import { foundBy, type RuleName, type Rules, type Sizes, Unsafe, usualRules, usualSizes } from './sanitize/rules.js'

/** How results are cleaned. */
export type SanitizeOptions = {
  /** What becomes of what is found; unless said otherwise secrets, active content and instructions are reported, all else is taken out. */
  rules?: Partial<Rules>
  sizes?: Partial<Sizes>
  /** Schemes that links may have, such as ['https']; all that run no code unless said otherwise. */
  schemes?: readonly string[]
  /** Kinds of secrets of your own, such as keys that your company hands out, besides those that are known. */
  secrets?: readonly SecretKind[]
}

const known: KnownOptions<SanitizeOptions> = { rules: true, sizes: true, schemes: true, secrets: true }

/** The policy, and what cleans all else that a server says. */
export type Sanitizing = Policy & Required<Pick<Policy, 'words'>>

/**
 * Takes out of results what people do not see and terminals obey, and leaves letters, emoji and scripts as they are. What was done
 * stands in `_meta` under `dev.toolwire/findings`. In a client all else that the server says is cleaned by the same rules.
 */
export function sanitize(options: SanitizeOptions = {}): Sanitizing {
  // Mistakes are told at once.
  checkOptions('`sanitize`', options, known)
  checkOptions('`sanitize.rules`', options.rules, usualRules)
  checkOptions('`sanitize.sizes`', options.sizes, usualSizes)
  if (options.secrets) ownSecrets(options.secrets)
  let cleaning: Cleaning | undefined
  // The tables are a good part of this library: loaded with the first result, because all servers start sooner without them.
  const load = async () => {
    cleaning ??= (await import('./sanitize/result-cleaner.js')).cleaningOf(options)
    return cleaning
  }
  return {
    name: 'sanitize',
    call: (call, next) =>
      next(call).then((result) =>
        cleaning ? orWithheld(call, cleaning, result) : load().then((loaded) => orWithheld(call, loaded, result)),
      ),
    words: load,
  }
}

function orWithheld({ tool }: ToolCall, { inTurns }: Cleaning, result: ToolResult): ToolResult | Promise<ToolResult> {
  const refused = (thrown: unknown): never => {
    throw thrown instanceof Unsafe ? withheld(tool.name, thrown.rule) : thrown
  }
  try {
    const cleaned = inTurns(result)
    return cleaned instanceof Promise ? cleaned.catch(refused) : cleaned
  } catch (thrown) {
    return refused(thrown)
  }
}

const withheld = (tool: string, rule: RuleName): Refusal =>
  new Refusal('unsafe-result', `${tool} was called, and its result is withheld: it contains ${foundBy[rule]}.`)
