import { checkOptions, optionsLike, optionsOf } from '../../tools/checks/known-options.js'
import { atLeast, listOf, oneOf, someObject, someTexts } from '../../tools/checks/option-values.js'
import type { ToolResult } from '../../tools/result.js'
import type { ToolCall } from '../../tools/tool.js'
import type { Policy } from '../policy.js'
import { findCustomSecrets, type SecretKind } from './custom-secrets.js'
import type { ResultCleaning } from './result-cleaner.js'
import { asRefusal, defaultSanitizeRules, type SanitizeRules, type SanitizeSizes, sanitizeActions } from './sanitize-rules.js'

export type SanitizeOptions = {
  /** Action of each rule. By default secrets, active content and instructions are reported, and everything else is removed. */
  rules?: Partial<SanitizeRules>
  sizes?: Partial<SanitizeSizes>
  /** Schemes that links may have, such as ['https']. By default all but unsafe ones, such as javascript:. */
  schemes?: readonly string[]
  /** Additional kinds of secrets, such as keys that your company issues. */
  secrets?: readonly SecretKind[]
}

const known = optionsOf<SanitizeOptions>()('rules sizes', { schemes: someTexts, secrets: listOf(someObject) })
const knownRules = optionsLike(defaultSanitizeRules, oneOf(...sanitizeActions))
const knownSizes = optionsOf<SanitizeSizes>()({ text: atLeast(100), 'blocks depth': atLeast(0) })

/** The policy, which also cleans all other text of a server. */
export type SanitizePolicy = Policy & Required<Pick<Policy, 'words'>>

/**
 * Removes from results what people do not see and terminals obey, and leaves letters, emoji and scripts as they are. `_meta` lists the
 * findings under `dev.toolwire/findings`. In a client, the same rules clean all other text of the server.
 *
 * @example
 * ```ts
 * const policies = [sanitize()]
 * ```
 */
export function sanitize(options: SanitizeOptions = {}): SanitizePolicy {
  // Invalid options are reported at once.
  checkOptions('`sanitize`', options, known)
  checkOptions('`sanitize.rules`', options.rules, knownRules)
  checkOptions('`sanitize.sizes`', options.sizes, knownSizes)
  if (options.secrets) findCustomSecrets(options.secrets)
  let cleaning: ResultCleaning | undefined
  // The tables are a good part of this library. They are loaded with the first result, because all servers start sooner without them.
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
    throw asRefusal(thrown, `${tool.name} was called, and its result`)
  }
  try {
    const cleaned = clean(result)
    return cleaned instanceof Promise ? cleaned.catch(refused) : cleaned
  } catch (thrown) {
    return refused(thrown)
  }
}
