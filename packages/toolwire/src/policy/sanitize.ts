import { checkOptions, type KnownOptions } from '../tools/known-options.js'
import { Refusal } from '../tools/refusal.js'
import type { ToolResult } from '../tools/result.js'
import type { ToolCall } from '../tools/tool.js'
import type { Policy } from './policy.js'
import { ownSecrets, type SecretKind } from './sanitize/own-secrets.js'
import { type RuleName, type Rules, type Sizes, Unsafe, usualRules, usualSizes } from './sanitize/rules.js'

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

/**
 * Takes out of results what people do not see and terminals obey, and leaves letters, emoji and scripts as they are. What was done
 * stands in `_meta` under `dev.toolwire/findings`.
 */
export function sanitize(options: SanitizeOptions = {}): Policy {
  // Mistakes are told at once.
  checkOptions('`sanitize`', options, known)
  checkOptions('`sanitize.rules`', options.rules, usualRules)
  checkOptions('`sanitize.sizes`', options.sizes, usualSizes)
  if (options.secrets) ownSecrets(options.secrets)
  let clean: Clean | undefined
  // The tables are a good part of this library: loaded with the first result, because all servers start sooner without them.
  const load = async () => {
    clean ??= (await import('./sanitize/result-cleaner.js')).resultCleanerInTurns(options)
    return clean
  }
  return {
    name: 'sanitize',
    call: (call, next) =>
      next(call).then((result) =>
        clean ? orWithheld(call, clean, result) : load().then((loaded) => orWithheld(call, loaded, result)),
      ),
  }
}

type Clean = (result: ToolResult) => ToolResult | Promise<ToolResult>

function orWithheld({ tool }: ToolCall, clean: Clean, result: ToolResult): ToolResult | Promise<ToolResult> {
  const refused = (thrown: unknown): never => {
    throw thrown instanceof Unsafe ? withheld(tool.name, thrown.rule) : thrown
  }
  try {
    const cleaned = clean(result)
    return cleaned instanceof Promise ? cleaned.catch(refused) : cleaned
  } catch (thrown) {
    return refused(thrown)
  }
}

const found: { readonly [R in RuleName]: string } = {
  terminal: 'escape sequences of terminals',
  controls: 'control characters',
  invisible: 'invisible characters',
  bidi: 'characters that reorder text',
  size: 'more than is let through',
  media: 'media that are not what they say',
  links: 'links to where none may lead',
  secrets: 'secrets',
  active: 'active content',
  instructions: 'instructions to the model',
}

const withheld = (tool: string, rule: RuleName): Refusal =>
  new Refusal('unsafe-result', `${tool} was called, and its result is withheld: it contains ${found[rule]}.`)
