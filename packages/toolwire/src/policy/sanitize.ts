import { Refusal } from '../tools/refusal.js'
import type { ToolResult } from '../tools/result.js'
import type { Policy } from './policy.js'
import { Cleaner } from './sanitize/cleaner.js'
import { linkCheck } from './sanitize/links.js'
import { Findings, type RuleName, type Rules, type Sizes, Unsafe, usualRules, usualSizes } from './sanitize/rules.js'

/** How results are cleaned. */
export type SanitizeOptions = {
  /** What becomes of what is found; everything is taken out unless said otherwise. */
  rules?: Partial<Rules>
  sizes?: Partial<Sizes>
  /** Schemes that links may have, such as ['https']; all that run no code unless said otherwise. */
  schemes?: readonly string[]
}

/**
 * Takes out of results what people do not see and terminals obey, and leaves letters, emoji and scripts as they are. What was done
 * stands in `_meta` under `dev.toolwire/findings`.
 */
export function sanitize(options: SanitizeOptions = {}): Policy {
  const clean = resultCleaner(options)
  return {
    name: 'sanitize',
    async call(call, next) {
      const result = await next(call)
      try {
        return clean(result)
      } catch (thrown) {
        throw thrown instanceof Unsafe ? withheld(call.tool.name, thrown.rule) : thrown
      }
    },
  }
}

function resultCleaner({ rules, sizes, schemes }: SanitizeOptions): (result: ToolResult) => ToolResult {
  const all = { rules: { ...usualRules, ...rules }, sizes: { ...usualSizes, ...sizes }, isLink: linkCheck(schemes) }
  return (result) => new Cleaner(new Findings(all.rules), all.sizes, all.isLink).result(result)
}

const found: { readonly [R in RuleName]: string } = {
  terminal: 'escape sequences of terminals',
  controls: 'control characters',
  invisible: 'invisible characters',
  bidi: 'characters that reorder text',
  size: 'more than is let through',
  media: 'media that are not what they say',
  links: 'links to where none may lead',
}

const withheld = (tool: string, rule: RuleName): Refusal =>
  new Refusal('unsafe-result', `${tool} was called, and its result is withheld: it contains ${found[rule]}.`)
