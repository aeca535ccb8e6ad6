import { type Caller, holds } from '../tools/caller.js'
import { Refusal } from '../tools/refusal.js'
import type { ReadyTool } from '../tools/tool.js'
import type { Policy } from './policy.js'

/** Hides the tools a caller lacks the scopes for, and answers a call to one as if it did not exist. */
export function access(): Policy {
  return {
    name: 'access',
    applies: guarded,
    list: (tools, caller) => tools.filter((tool) => allows(tool, caller)),
    async call(call, next) {
      if (!allows(call.tool, call.caller)) throw unknownTool(call.tool.name)
      return next(call)
    },
  }
}

const guarded = (tool: ReadyTool) => (tool.definition.scopes?.length ?? 0) > 0
const allows = (tool: ReadyTool, caller: Caller) => holds(caller, tool.definition.scopes ?? [])

/** Hidden and absent look the same. */
export const unknownTool = (name: string): Refusal => new Refusal('unknown-tool', `Unknown tool: ${name.slice(0, 128)}`)
