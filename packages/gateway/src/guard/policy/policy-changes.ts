// What other rules would change: for each tool that is here and each caller that is known.
import { setImmediate as breathe } from 'node:timers/promises'
import type { Caller } from 'toolwire'
import type { Rulebook } from 'toolwire/rules'
import { outlookFor, type RuleSubject } from '../tools/tool-outlook.js'
import type { PolicyChange } from './policy-editor.js'

const mostShown = 500
/** So many pairs are looked at in one go, while everybody else waits. */
const atOnce = 500

export type KnownSubjects = { readonly tools: readonly RuleSubject[]; readonly callers: readonly Caller[] }

export async function policyChanges(
  before: Rulebook,
  after: Rulebook,
  { tools, callers }: KnownSubjects,
): Promise<{ readonly changes: readonly PolicyChange[]; readonly more?: true }> {
  const changes: PolicyChange[] = []
  let looked = 0
  for (const tool of tools) {
    for (const caller of callers) {
      const change = changeFor(before, after, { tool, caller })
      if (change && changes.length === mostShown) return { changes, more: true }
      if (change) changes.push(change)
      if (++looked % atOnce === 0) await breathe()
    }
  }
  return { changes }
}

type Pair = { readonly tool: RuleSubject; readonly caller: Caller }

/** Where arguments decide, other rules are a change even if it cannot be told in a word. */
function changeFor(before: Rulebook, after: Rulebook, { tool, caller }: Pair): PolicyChange | undefined {
  const was = outlookFor(before, tool, caller)
  const is = outlookFor(after, tool, caller)
  const isSame = was.outlook === is.outlook && (is.outlook !== 'depends' || was.rules.join() === is.rules.join())
  return isSame ? undefined : { tool: tool.name, caller: caller.id, before: was.outlook, after: is.outlook }
}
