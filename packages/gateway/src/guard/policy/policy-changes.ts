// Computes the effect of new rules on every current tool and known caller.
import { setImmediate as breathe } from 'node:timers/promises'
import type { Caller } from 'toolwire'
import type { ruleParts } from 'toolwire/relay'
import type { Rulebook } from 'toolwire/rules'
import { outlookFor } from '../tools/tool-outlook.js'
import type { Outlook } from '../tools/tool-view.js'

type PolicyChange = { readonly tool: string; readonly caller: string; readonly before: Outlook; readonly after: Outlook }

const mostShown = 500
/** Pairs compared before the event loop gets a turn. */
const batchSize = 500

export type KnownSubjects = { readonly tools: readonly ruleParts.NamedTool[]; readonly callers: readonly Caller[] }

export async function policyChanges(
  before: Rulebook,
  after: Rulebook,
  { tools, callers }: KnownSubjects,
): Promise<{ readonly changes: readonly PolicyChange[]; readonly more?: true }> {
  const changes: PolicyChange[] = []
  let compared = 0
  for (const tool of tools) {
    for (const caller of callers) {
      const was = outlookFor(before, tool, caller)
      const is = outlookFor(after, tool, caller)
      // If arguments decide, a different list of rules is a change, although both outlooks are the same word.
      const isSame = was.outlook === is.outlook && (is.outlook !== 'depends' || was.rules.join() === is.rules.join())
      if (!isSame && changes.length === mostShown) return { changes, more: true }
      if (!isSame) changes.push({ tool: tool.tool, caller: caller.id, before: was.outlook, after: is.outlook })
      if (++compared % batchSize === 0) await breathe()
    }
  }
  return { changes }
}
