import { yieldWhenBusy } from '../../bounds/yield-when-busy.js'
import { effectiveHints } from '../../tools/hints.js'
import { Refusal } from '../../tools/refusal.js'
import type { ToolResult } from '../../tools/result.js'
import { Suspension } from '../../tools/suspension.js'
import type { ToolCall } from '../../tools/tool.js'
import { frozenArguments, frozenJson, jsonCopy } from '../frozen-copy.js'
import type { Next, Policy } from '../policy.js'
import { isAskedByRule } from '../rules/ask-mark.js'
import { type ApproveOptions, checkApproveOptions } from './approve-options.js'
import { bindingDigest } from './binding.js'
import { type ApprovalDecider, approvalDecider } from './decide.js'
import { approvalUnavailable } from './refusals.js'

/**
 * Makes a call only after someone has seen exactly what will be sent and approved it. The call goes on with a frozen copy of what was
 * shown. Without an answer it is refused.
 *
 * @example
 * ```ts
 * const policy = approve({ ask: askCaller() })
 * ```
 */
export function approve(options: ApproveOptions): Policy {
  checkApproveOptions('`approve`', options)
  const { name = 'approve', when = mayChange } = options
  const decider = approvalDecider(options)

  /** Freezes the arguments before `when` reads them, so that the call goes on with the same ones even if it needs no approval. */
  async function approveCall(given: ToolCall, next: Next, pass: string): Promise<ToolResult> {
    const rest = yieldWhenBusy()
    const turn = rest() // its time counts from here, but nothing may change before the arguments are frozen
    // A relayed call is made with its arguments, which its own server checks.
    const isRelayed = given.input === given.arguments && given.tool.definition.relayed !== undefined
    // A copy would double the memory of a call that waits. A handler may change its input, so only a relayed call goes without one.
    const isParsedHere = isRelayed && given.arguments === given.context.receivedArguments
    const frozen = isParsedHere ? frozenJson(given.arguments) : frozenArguments(given.arguments)
    const fixed = { ...given, arguments: frozen, ...(isRelayed && { input: frozen }) }
    const needed = isNeeded(fixed, when)
    await turn
    const call = await withInput(fixed, rest)
    await rest()
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
 * True for calls that a rule asks about, and for tools that are not known to be read-only. The destructive and idempotent hints mean
 * something only for tools that are not read-only. 2026-07-28/schema#ToolAnnotations
 */
const mayChange = (call: ToolCall): boolean => isAskedByRule(call) || !effectiveHints(call.tool.definition.hints).readOnly

/** These functions ignore the arguments, which then need not be frozen for a call without approval. */
const ignoreArguments: ReadonlySet<(call: ToolCall) => boolean> = new Set([mayChange, isAskedByRule])

function isNeeded(call: ToolCall, when: (call: ToolCall) => boolean): boolean {
  try {
    return when(call)
  } catch (cause) {
    throw approvalUnavailable(call, cause)
  }
}

/** Resolves when the call is approved, and throws in all other cases. */
async function requireApproval(call: ToolCall, pass: string, decider: ApprovalDecider): Promise<void> {
  const { signal } = call.context
  signal.throwIfAborted()
  try {
    const bound = decider.bind(call)
    const callDigest = await bindingDigest(bound)
    const place = `${pass}:${callDigest}`
    // A call whose handler asks a question passes here in each of its rounds. It is the same call as long as no bound fact has changed.
    const approved = await call.context.once(`toolwire:approved:${place}`, () => decider.wait({ call, bound, callDigest, place }))
    if (typeof approved === 'string') call.context.grant = approved
    // Storing a grant, or the wait for `once`, may have taken a moment.
    decider.checkBound({ call, bound })
  } catch (thrown) {
    signal.throwIfAborted()
    throw thrown instanceof Refusal || thrown instanceof Suspension ? thrown : approvalUnavailable(call, thrown)
  }
  signal.throwIfAborted()
}

/** The handler's input must come from the arguments that are shown, so it is parsed again from a copy. */
async function withInput(call: ToolCall, rest: () => Promise<void> | undefined): Promise<ToolCall> {
  if (call.input === undefined || call.input === call.arguments) return call
  await rest()
  const copy = jsonCopy(call.arguments)
  await rest()
  call.context.signal.throwIfAborted()
  const { value, issues } = await call.tool.checkInput(copy)
  if (issues) throw new Refusal('invalid-arguments', `Invalid arguments for ${call.tool.name}`)
  return { ...call, input: value }
}

/**
 * Name of one pass of a call through one policy, the same in every round of the call. Two policies in a row, or one that is passed twice,
 * must not share an approval. The context counts the passes, because a WeakMap costs the collector something for each call.
 */
function passNameOf({ context }: ToolCall, policy: string): string {
  context.passes ??= []
  context.passes.push(policy)
  let count = 0
  for (const name of context.passes) if (name === policy) count++
  return `${policy}:${count}`
}
