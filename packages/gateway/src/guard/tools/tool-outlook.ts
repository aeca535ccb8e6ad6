// What the rules make of a tool before anybody calls it.
import type { Caller, Hints } from 'toolwire'
import { effectiveHints } from 'toolwire/guard'
import type { Rulebook } from 'toolwire/rules'
import type { Outlook } from './tool-view.js'

/** As much of a tool as rules look at. */
export type RuleSubject = {
  readonly server: string
  readonly name: string
  readonly ownName?: string | undefined
  readonly shadowed?: boolean | undefined
  readonly hints: Hints
  readonly tags?: readonly string[] | undefined
  /** What its server says, believed or not. */
  readonly claims?: Hints
}

/** What may become of calls, and which rules have a say in it. */
type ToolOutlook = {
  readonly outlook: Outlook
  readonly rules: readonly string[]
  /** Calls that no rule decides about are allowed on the unverified word of the server. */
  readonly byClaim: boolean
}

/** For every caller, or for this one. */
export function outlookFor(book: Rulebook, tool: RuleSubject, caller?: Caller): ToolOutlook {
  const { name, server, ownName = name, shadowed = false, hints, tags = [], claims } = tool
  const about = {
    tool: name,
    server,
    ...(ownName !== name && { ownName, shadowed }),
    hints: effectiveHints(hints),
    tags,
    ...(claims && { claims }),
  }
  const possible = new Set<Outlook>()
  const rules: string[] = []
  for (const { rule, decides, cautions } of book.stepsFor(about)) {
    const concerned = [decides, cautions].filter((part) => part && (!caller || (part.caller?.holds(caller) ?? true)))
    if (concerned.length === 0) continue
    rules.push(JSON.stringify(rule))
    possible.add(rule.decision)
    const isSure = decides && concerned.includes(decides) && !decides.arguments && !decides.call && (caller || !decides.caller)
    if (isSure) return { outlook: oneOf(possible), rules, byClaim: false }
  }
  possible.add(book.fallback(about))
  return { outlook: oneOf(possible), rules, byClaim: book.reliesOnClaim(about) }
}

function oneOf(possible: ReadonlySet<Outlook>): Outlook {
  const [only = 'depends'] = possible
  return possible.size === 1 ? only : 'depends'
}
