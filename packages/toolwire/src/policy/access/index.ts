import { visibleLine } from '../../text/visible.js'
import { type Caller, holdsScopes } from '../../tools/caller.js'
import { Refusal } from '../../tools/refusal.js'
import type { ReadyTool } from '../../tools/tool.js'
import { filterTools, memoizeLongLists, type Policy } from '../policy.js'

/**
 * Hides tools from a caller who lacks their scopes, and answers calls to them as if they did not exist. Only a caller who can come back
 * with more scopes sees all tools, and learns which scopes a call takes.
 */
export function access(): Policy {
  const isOpen = memoizeLongLists((tools) => !tools.some(takesScopes))
  return {
    name: 'access',
    applies: takesScopes,
    list: (tools, caller) => (isOpen(tools) ? tools : filterTools(tools, (tool) => !isHiddenFrom(tool, caller))),
    hides: isHiddenFrom,
    async call(call, next) {
      if (isHiddenFrom(call.tool, call.caller)) throw unknownTool(call.tool.name)
      if (!holdsToolScopes(call.tool, call.caller)) throw missingScopes(call.tool)
      return next(call)
    },
  }
}

/** True if the caller holds the scopes that the tool takes. */
export const holdsToolScopes = (tool: ReadyTool, caller: Caller): boolean => holdsScopes(caller, tool.definition.scopes ?? [])

const isHiddenFrom = (tool: ReadyTool, caller: Caller): boolean => !holdsToolScopes(tool, caller) && !stepsUp(caller)

const takesScopes = (tool: ReadyTool) => (tool.definition.scopes?.length ?? 0) > 0
/** An anonymous caller has no identity to step up from. */
const stepsUp = ({ stepsUp, anonymous }: Caller): boolean => stepsUp === true && anonymous !== true

/**
 * The error for a hidden or an absent tool, which must look the same. Hidden characters in the name are escaped, because the name ends up
 * in logs.
 *
 * @example
 * ```ts
 * throw unknownTool('search')
 * ```
 */
export const unknownTool = (name: string): Refusal =>
  new Refusal('unknown-tool', `Unknown tool: ${visibleLine(name.slice(0, 128))}`)

/** Names all scopes, including those that the caller holds. spec 2026-07-28, basic/authorization#runtime-insufficient-scope-errors */
const missingScopes = ({ name, definition: { scopes = [] } }: ReadyTool): Refusal =>
  new Refusal('forbidden', `${name} requires the scopes ${scopes.join(' ')}`, { scopes })
