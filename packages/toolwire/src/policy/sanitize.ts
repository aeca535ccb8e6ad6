import { Refusal } from '../tools/refusal.js'
import type { ToolResult } from '../tools/result.js'
import type { ToolCall } from '../tools/tool.js'
import type { Policy } from './policy.js'
import type { SecretKind } from './sanitize/own-secrets.js'
import { resultCleaner } from './sanitize/result-cleaner.js'
import { type RuleName, type Rules, type Sizes, Unsafe } from './sanitize/rules.js'

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

/**
 * Takes out of results what people do not see and terminals obey, and leaves letters, emoji and scripts as they are. What was done
 * stands in `_meta` under `dev.toolwire/findings`.
 */
export function sanitize(options: SanitizeOptions = {}): Policy {
  // The tables take some milliseconds, which is for the first call to spend and not for the start. Mistakes are told at once.
  let clean = options.secrets && resultCleaner(options)
  const cleaner = () => {
    clean ??= resultCleaner(options)
    return clean
  }
  return {
    name: 'sanitize',
    call: (call, next) => next(call).then((result) => orWithheld(call, () => cleaner()(result))),
  }
}

function orWithheld({ tool }: ToolCall, clean: () => ToolResult): ToolResult {
  try {
    return clean()
  } catch (thrown) {
    throw thrown instanceof Unsafe ? withheld(tool.name, thrown.rule) : thrown
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
