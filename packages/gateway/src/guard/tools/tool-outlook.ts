// The decision of the rules about a tool before it is called.
import type { Caller } from 'toolwire'
import { effectiveHints } from 'toolwire/guard'
import type { ruleParts } from 'toolwire/relay'
import type { Rulebook } from 'toolwire/rules'
import type { Outlook } from './tool-view.js'

type ToolOutlook = {
  readonly outlook: Outlook
  readonly rules: readonly string[]
  /** Calls that no rule covers are allowed because of the server's unverified claim. */
  readonly byClaim: boolean
}

/** The outlook for this caller, or for all callers if none is given. */
export function outlookFor(book: Rulebook, tool: ruleParts.NamedTool, caller?: Caller): ToolOutlook {
  const { ownName, shadowed = false, tags = [], arguments: _, ...named } = tool
  const isRenamed = ownName !== undefined && ownName !== tool.tool
  const about = { ...named, ...(isRenamed && { ownName, shadowed }), hints: effectiveHints(tool.hints), tags }
  const possible = new Set<Outlook>()
  const rules: string[] = []
  for (const { rule, decides, cautions } of book.stepsFor(about)) {
    const concerned = [decides, cautions].filter((part) => part && (!caller || (part.caller?.holds(caller) ?? true)))
    if (concerned.length === 0) continue
    rules.push(JSON.stringify(rule))
    possible.add(rule.decision)
    const isSure =
      decides &&
      concerned.includes(decides) &&
      !decides.arguments &&
      !decides.call &&
      !decides.received &&
      (caller || !decides.caller)
    if (isSure) return { outlook: oneOf(possible), rules, byClaim: false }
  }
  possible.add(book.fallback(about))
  return { outlook: oneOf(possible), rules, byClaim: book.reliesOnClaim(about) }
}

function oneOf(possible: ReadonlySet<Outlook>): Outlook {
  const [only = 'depends'] = possible
  return possible.size === 1 ? only : 'depends'
}
