import type { JsonObject } from '../json.js'
import { checkLimit } from './checks/check-limit.js'
import { definitionError } from './checks/definition-error.js'
import { checkOptions, optionsOf } from './checks/known-options.js'
import type { Context } from './context.js'
import { checkHints } from './define-tool.js'
import type { ToolResult } from './result.js'
import type { AnyTool, Hints, ListedTool, LongRunning, ToolDefinition } from './tool.js'

/** What is said here about a tool that another server defines; only `run` must be. */
export type RelayDefinition = Pick<ToolDefinition<never, never, never>, 'scopes' | 'limit' | 'timeout' | 'tags'> & {
  /** What this side calls the other server: for policies, which tell tools of one name apart by it. */
  server?: string
  /**
   * Identifies the server, independent of its name: another text means another server. Pins, approvals and grants hold
   * for no other one, and audit records begin with its first characters.
   */
  serverIdentity?: string
  /** What the other server calls the tool, where it is listed here under another name: rules about that server may say either. */
  ownName?: string
  /** Another tool of that server has, as its own, the name that this one is listed under: a rule that allows by it means the other. */
  shadowed?: boolean
  /** What policies are to believe of it; what is listed stays as it is. */
  hints?: Hints
  /**
   * Whether it may be called as a task. Where clients do not ask for one themselves, the call becomes one with `ctx.promoteToTask()`; those
   * that cannot take one call it plainly, `required` or not.
   */
  longRunning?: LongRunning
  /** Makes the call there. The arguments are as they came; what comes back goes to the caller untouched. */
  run: (args: JsonObject, ctx: Context) => Promise<ToolResult>
}

/**
 * A tool of another server. It is listed as that server lists it, and that server checks the arguments.
 *
 * @example
 * ```ts
 * const run = async () => ({ content: [{ type: 'text' as const, text: 'Hello' }], isError: false })
 * const hello = relay({ name: 'hello', inputSchema: { type: 'object' } }, { run })
 * ```
 */
export function relay(listed: ListedTool, definition: RelayDefinition): AnyTool {
  checkOptions('A relayed tool', definition, options)
  checkHints(definition?.hints)
  if (typeof definition?.run !== 'function') throw definitionError('A relayed tool needs `run`, the function that makes the call')
  if (definition.limit) checkLimit(definition.limit)
  // Arguments of a call are an object: the reader of the request has checked that. Members after those of another object would give
  // each tool a hidden class of its own, and there may be thousands.
  const relayed = { relayed: listed, ...definition } as AnyTool['definition']
  return Object.freeze({ definition: Object.freeze(relayed) })
}

const options = optionsOf<RelayDefinition>()(
  'server serverIdentity hints scopes limit timeout tags longRunning run ownName shadowed',
)
