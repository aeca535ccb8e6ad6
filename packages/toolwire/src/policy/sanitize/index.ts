import { checkOptions, optionsOf } from '../../tools/checks/known-options.js'
import type { ToolResult } from '../../tools/result.js'
import type { ToolCall } from '../../tools/tool.js'
import type { Policy } from '../policy.js'
import { findCustomSecrets, type SecretKind } from './custom-secrets.js'
import type { ResultCleaning } from './result-cleaner.js'
import { asRefusal, defaultSanitizeRules, defaultSizes, type SanitizeRules, type SanitizeSizes } from './sanitize-rules.js'

/** How results are cleaned. */
export type SanitizeOptions = {
  /** What becomes of what is found; unless said otherwise secrets, active content and instructions are reported, all else is taken out. */
  rules?: Partial<SanitizeRules>
  sizes?: Partial<SanitizeSizes>
  /** Schemes that links may have, such as ['https']; all that run no code unless said otherwise. */
  schemes?: readonly string[]
  /** Kinds of secrets of your own, such as keys that your company hands out, besides those that are known. */
  secrets?: readonly SecretKind[]
}

const known = optionsOf<SanitizeOptions>()('rules sizes schemes secrets')

/** The policy, and what cleans all else that a server says. */
export type SanitizePolicy = Policy & Required<Pick<Policy, 'words'>>

/**
 * Takes out of results what people do not see and terminals obey, and leaves letters, emoji and scripts as they are. What was done
 * stands in `_meta` under `dev.toolwire/findings`. In a client all else that the server says is cleaned by the same rules.
 *
 * @example
 * ```ts
 * const policies = [sanitize()]
 * ```
 */
export function sanitize(options: SanitizeOptions = {}): SanitizePolicy {
  // Mistakes are told at once.
  checkOptions('`sanitize`', options, known)
  checkOptions('`sanitize.rules`', options.rules, defaultSanitizeRules)
  checkOptions('`sanitize.sizes`', options.sizes, defaultSizes)
  if (options.secrets) findCustomSecrets(options.secrets)
  let cleaning: ResultCleaning | undefined
  // The tables are a good part of this library: loaded with the first result, because all servers start sooner without them.
  const load = async () => {
    cleaning ??= (await import('./result-cleaner.js')).resultCleaning(options)
    return cleaning
  }
  return {
    name: 'sanitize',
    call: (call, next) =>
      next(call).then((result) =>
        cleaning ? cleanOrWithhold(call, cleaning, result) : load().then((loaded) => cleanOrWithhold(call, loaded, result)),
      ),
    words: load,
  }
}

function cleanOrWithhold(
  { tool }: ToolCall,
  { result: clean }: ResultCleaning,
  result: ToolResult,
): ToolResult | Promise<ToolResult> {
  const refused = (thrown: unknown): never => {
    throw asRefusal(thrown, tool.name)
  }
  try {
    const cleaned = clean(result)
    return cleaned instanceof Promise ? cleaned.catch(refused) : cleaned
  } catch (thrown) {
    return refused(thrown)
  }
}
