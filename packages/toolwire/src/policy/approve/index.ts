import { effectiveHints } from '../../tools/hints.js'
import { Refusal } from '../../tools/refusal.js'
import type { ToolResult } from '../../tools/result.js'
import { Suspension } from '../../tools/suspension.js'
import type { ReadyTool, ToolCall } from '../../tools/tool.js'
import { frozenArguments } from '../frozen-copy.js'
import type { Next, Policy } from '../policy.js'
import { isAskedByRule } from '../rules/ask-mark.js'
import type { Approver } from './approval.js'
import { bindingDigest } from './binding.js'
import { type ApprovalDecider, approvalDecider } from './decide.js'
import type { GrantStore } from './grants.js'
import { approvalUnavailable } from './refusals.js'

/** How calls are approved. */
export type ApproveOptions = {
  /** Who decides: a hook of your own, `askCaller()` or `approvalQueue(store)`. A hook that throws has said no. */
  ask: Approver
  /** Where "always" is kept; without it every answer is for one call. */
  remember?: GrantStore
  /** Which calls need approval: all that may change something, unless said otherwise. */
  when?: (call: ToolCall) => boolean
  /** Which rules are in force. What was approved under others is not made. */
  version?: () => string
  /** The tool as it is offered now, where it may change while a person thinks; undefined when it is gone. */
  current?: (call: ToolCall) => ReadyTool | undefined
  /** Milliseconds until silence counts as a no. */
  waitMs?: number
  /** How many calls of one caller may wait at a time. */
  mostPending?: number
  /** Tells apart policies that ask different people about the same calls: what one approves says nothing to another. */
  name?: string
}

/**
 * Lets a call go on only after someone has seen exactly what will be sent and said yes. What was shown is what goes on, in a copy
 * that nobody can change. Where the answer cannot be had it is no.
 *
 * @example
 * ```ts
 * const policy = approve({ ask: askCaller() })
 * ```
 */
export function approve(options: ApproveOptions): Policy {
  const { name = 'approve', when = mayChange } = options
  const decider = approvalDecider(options)

  /** What is judged by its arguments goes on with these, needed or not. */
  async function approveCall(given: ToolCall, next: Next, pass: string): Promise<ToolResult> {
    const fixed = { ...given, arguments: frozenArguments(given.arguments) }
    const needed = isNeeded(fixed, when)
    const call = await withInput(fixed)
    if (needed) await requireApproval(call, pass, decider)
    return next(call)
  }

  return {
    name,
    call(given, next) {
      try {
        const pass = passNameOf(given, name)
        return ignoreArguments.has(when) && !isNeeded(given, when) ? next(given) : approveCall(given, next, pass)
      } catch (thrown) {
        return Promise.reject(thrown)
      }
    },
  }
}

/**
 * What a rule wants to be asked about, and what is not known to do nothing but read. Destructive or idempotent means something only
 * where a tool is not read-only. 2026-07-28/schema#ToolAnnotations
 */
const mayChange = (call: ToolCall): boolean => isAskedByRule(call) || !effectiveHints(call.tool.definition.hints).readOnly

/** These do not look at the arguments, so what they let go on need not be fixed. */
const ignoreArguments: ReadonlySet<(call: ToolCall) => boolean> = new Set([mayChange, isAskedByRule])

function isNeeded(call: ToolCall, when: (call: ToolCall) => boolean): boolean {
  try {
    return when(call)
  } catch (cause) {
    throw approvalUnavailable(call, cause)
  }
}

/** Returns when the call is approved, and throws in all other cases. */
async function requireApproval(call: ToolCall, pass: string, decider: ApprovalDecider): Promise<void> {
  const { signal } = call.context
  signal.throwIfAborted()
  try {
    const bound = decider.bind(call)
    const callDigest = bindingDigest(bound)
    const place = `${pass}:${callDigest}`
    // A call whose handler asks comes by again in each of its rounds. It is still the same call as long as nothing bound has changed.
    await call.context.once(`toolwire:approved:${place}`, () => decider.wait({ call, bound, callDigest, place }))
    // Storing a grant, or the way back through `once`, may have taken a moment.
    decider.checkBound({ call, bound })
  } catch (thrown) {
    signal.throwIfAborted()
    throw thrown instanceof Refusal || thrown instanceof Suspension ? thrown : approvalUnavailable(call, thrown)
  }
  signal.throwIfAborted()
}

/** What the handler reads must come from what is shown too, so it is made anew from a copy of its own. */
async function withInput(call: ToolCall): Promise<ToolCall> {
  if (call.input === undefined) return call
  const { value, issues } = await call.tool.checkInput(structuredClone(call.arguments))
  if (issues) throw new Refusal('invalid-arguments', `Invalid arguments for ${call.tool.name}`)
  return { ...call, input: value }
}

/**
 * A name for one call's way through one policy, the same in every round of the call. Two policies in a row, or one that is gone
 * through twice, must not share an approval. It is counted in the context, because a WeakMap costs the collector something for each call.
 */
function passNameOf({ context }: ToolCall, policy: string): string {
  context.passes ??= []
  context.passes.push(policy)
  let count = 0
  for (const name of context.passes) if (name === policy) count++
  return `${policy}:${count}`
}
