import type { JsonObject } from '../json.js'
import { checkLimit } from './checks/check-limit.js'
import { definitionError } from './checks/definition-error.js'
import { checkOptions, optionsOf } from './checks/known-options.js'
import { oneOf, someObject, someText, someTexts, timeoutMs, trueOrFalse } from './checks/option-values.js'
import type { Context } from './context.js'
import { checkHints } from './define-tool.js'
import type { ToolResult } from './result.js'
import type { AnyTool, Hints, ListedTool, LongRunning, ToolDefinition } from './tool.js'

/** The local settings of a tool that another server defines; only `run` is required. */
export type RelayDefinition = Pick<ToolDefinition<never, never, never>, 'scopes' | 'limit' | 'timeout' | 'tags'> & {
  /** The local name of the other server. Policies use it to tell tools with the same name apart. */
  server?: string
  /**
   * Identifies the server, independent of its name: another identity means another server. Pins, approvals and grants apply to one identity
   * only, and audit records begin with its first characters.
   */
  serverIdentity?: string
  /** The name of the tool at the other server, if it is listed here under another name. Rules about that server may use either. */
  ownName?: string
  /** Another tool of that server has this tool's listed name as its own name. An allow rule with that name means the other tool. */
  shadowed?: boolean
  /**
   * Arguments that each call has, beside those of the caller. Policies see them, and a call that brings a value of its own for one is
   * refused. The listed schema should not name them.
   */
  fixedArguments?: JsonObject
  /** Hints for policies to act on; the listed annotations stay unchanged. */
  hints?: Hints
  /**
   * Allows calls of the tool as a task. In revisions whose clients do not request tasks, `ctx.promoteToTask()` makes the call a task.
   * There, clients without task support call the tool plainly, even if it is `required`.
   */
  longRunning?: LongRunning
  /** Calls the other server, with the arguments that policies have seen. The result goes to the caller unchanged. */
  run: (args: JsonObject, ctx: Context) => Promise<ToolResult>
}

/**
 * A tool of another server. It is listed as that server lists it, and that server validates the arguments.
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
  // The reader of the request has checked that arguments are an object. Adding members after another object's would give each of thousands
  // of tools a hidden class of its own.
  const relayed = { relayed: listed, ...definition } as AnyTool['definition']
  return Object.freeze({ definition: Object.freeze(relayed) })
}

const options = optionsOf<RelayDefinition>()('run', {
  'hints limit fixedArguments': someObject,
  'server serverIdentity ownName': someText,
  'scopes tags': someTexts,
  timeout: timeoutMs,
  longRunning: oneOf('optional', 'required'),
  shadowed: trueOrFalse,
})
