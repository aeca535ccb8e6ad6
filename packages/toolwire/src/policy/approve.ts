import { effectiveHints } from '../tools/hints.js'
import { Refusal } from '../tools/refusal.js'
import type { ToolResult } from '../tools/result.js'
import { Suspension } from '../tools/suspension.js'
import type { ReadyTool, ToolCall } from '../tools/tool.js'
import type { Approver } from './approval.js'
import { boundBy, digestOf } from './approvals/bound.js'
import { Deadlines } from './approvals/deadlines.js'
import { checkBound, decided, type Terms } from './approvals/decide.js'
import { unanswered } from './approvals/no.js'
import { passOf } from './approvals/passes.js'
import { Slots } from './approvals/slots.js'
import { frozenArguments } from './frozen.js'
import type { Grants } from './grants.js'
import type { Next, Policy } from './policy.js'
import { asked } from './rules/asked.js'

/** How calls are approved. */
export type ApproveOptions = {
  /** Who decides: a hook of your own, `theCaller()` or `elsewhere(store)`. A hook that throws has said no. */
  ask: Approver
  /** Where "always" is kept; without it every answer is for one call. */
  remember?: Grants
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
 */
export function approve(options: ApproveOptions): Policy {
  const { name = 'approve', when = mayChange } = options
  const terms = termsOf(options)
  return {
    name,
    call(given, next) {
      try {
        const pass = passOf(given, name)
        return overlooks.has(when) && !isNeeded(given, when) ? next(given) : judged(given, next, { pass, when, terms })
      } catch (thrown) {
        return Promise.reject(thrown)
      }
    },
  }
}

type Judging = { readonly pass: string; readonly when: (call: ToolCall) => boolean; readonly terms: Terms }

/** What is judged by its arguments goes on with these, needed or not. */
async function judged(given: ToolCall, next: Next, { pass, when, terms }: Judging): Promise<ToolResult> {
  const fixed = { ...given, arguments: frozenArguments(given.arguments) }
  const needed = isNeeded(fixed, when)
  const call = await withInput(fixed)
  if (needed) await approved(call, pass, terms)
  return next(call)
}

const termsOf = ({ ask, remember, version, current, waitMs = 300_000, mostPending = 100 }: ApproveOptions): Terms => ({
  ask,
  remember,
  versionNow: () => version?.(),
  toolNow: (call) => (current ? current(call) : call.tool),
  waitMs,
  slots: new Slots(mostPending),
  deadlines: new Deadlines(waitMs),
})

/**
 * What a rule wants to be asked about, and what is not known to do nothing but read. Destructive or idempotent means something only
 * where a tool is not read-only. 2026-07-28/schema#ToolAnnotations
 */
const mayChange = (call: ToolCall): boolean => asked(call) || !effectiveHints(call.tool.definition.hints).readOnly

/** These do not look at the arguments, so what they let go on need not be fixed. */
const overlooks: ReadonlySet<(call: ToolCall) => boolean> = new Set([mayChange, asked])

function isNeeded(call: ToolCall, when: (call: ToolCall) => boolean): boolean {
  try {
    return when(call)
  } catch (cause) {
    throw unanswered(call, cause)
  }
}

/** Returns when the call is approved, and throws in all other cases. */
async function approved(call: ToolCall, pass: string, terms: Terms): Promise<void> {
  const { signal } = call.context
  signal.throwIfAborted()
  try {
    const bound = boundBy(call, call.tool, terms.versionNow())
    const callDigest = digestOf(bound)
    const place = `${pass}:${callDigest}`
    // A call whose handler asks comes by again in each of its rounds. It is still the same call as long as nothing bound has changed.
    await call.context.once(`toolwire:approved:${place}`, () => decided({ call, bound, callDigest, place }, terms))
    // Storing a grant, or the way back through `once`, may have taken a moment.
    checkBound(call, bound, terms)
  } catch (thrown) {
    signal.throwIfAborted()
    throw thrown instanceof Refusal || thrown instanceof Suspension ? thrown : unanswered(call, thrown)
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
