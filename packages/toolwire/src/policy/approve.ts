import { Refusal } from '../tools/refusal.js'
import type { ToolCall } from '../tools/tool.js'
import {
  type Always,
  type ApprovalAnswer,
  type ApprovalRequest,
  believed,
  type Call,
  describeCall,
  readAnswer,
} from './approval.js'
import { definitionHash } from './definition-hash.js'
import { frozenArguments } from './frozen.js'
import { type Grants, isGranted } from './grants.js'
import type { Policy } from './policy.js'
import { asked } from './rules/asked.js'

/** How calls are approved. */
export type ApproveOptions = {
  /** Shows the request to a person and brings their answer. A hook that throws has said no. */
  ask: (request: ApprovalRequest) => ApprovalAnswer | Promise<ApprovalAnswer>
  /** Where "always" is kept; without it every answer is for one call. */
  remember?: Grants
  /** Which calls need approval: all that may change something, unless said otherwise. */
  when?: (call: ToolCall) => boolean
  /** Milliseconds until silence counts as a no. */
  waitMs?: number
  /** How many calls of one caller may wait at a time. */
  mostPending?: number
}

type Terms = Required<Omit<ApproveOptions, 'remember'>> & { readonly remember: Grants | undefined; readonly pending: Pending }
/** How many calls wait, by caller. */
type Pending = Map<string, number>

/**
 * Lets a call go on only after someone has seen exactly what will be sent and said yes. What was shown is what goes on, in a copy
 * that nobody can change. Where the answer cannot be had it is no.
 */
export function approve({ ask, remember, when = mayChange, waitMs = 300_000, mostPending = 100 }: ApproveOptions): Policy {
  const terms: Terms = { ask, remember, when, waitMs, mostPending, pending: new Map() }
  return {
    name: 'approve',
    async call(given, next) {
      if (when === mayChange && !mayChange(given)) return next(given)
      const call = { ...given, arguments: frozenArguments(given.arguments) }
      if (needsApproval(call, terms)) await approved(call, terms)
      return next(await withInput(call))
    },
  }
}

/**
 * What a rule wants to be asked about, and what is not known to do nothing but read. Destructive or idempotent means something only
 * where a tool is not read-only. 2026-07-28/schema#ToolAnnotations
 */
const mayChange = (call: ToolCall): boolean => asked(call) || !believed(call.tool.definition.hints).readOnly

function needsApproval(call: ToolCall, { when }: Terms): boolean {
  try {
    return when(call)
  } catch (cause) {
    throw unanswered(call, cause)
  }
}

/** Returns when the call is approved, and throws in all other cases. */
async function approved(call: ToolCall, terms: Terms): Promise<void> {
  const { context, caller } = call
  context.signal.throwIfAborted()
  const leave = enter(terms, caller.id)
  context.clock?.heard('asking')
  try {
    await inTime(call, terms)
  } catch (thrown) {
    context.signal.throwIfAborted()
    throw thrown instanceof Refusal ? thrown : unanswered(call, thrown)
  } finally {
    context.clock?.heard('answered')
    leave()
  }
}

function enter({ pending, mostPending }: Terms, caller: string): () => void {
  const waiting = pending.get(caller) ?? 0
  if (waiting >= mostPending)
    throw new Refusal('busy', `${mostPending} calls wait for approval already; try again when they are decided`)
  pending.set(caller, waiting + 1)
  return () => {
    const left = (pending.get(caller) ?? 1) - 1
    if (left > 0) pending.set(caller, left)
    else pending.delete(caller)
  }
}

/** Waits for the decision until the time is up or the call is aborted, and tells the hook when nobody waits any more. */
async function inTime(call: ToolCall, terms: Terms): Promise<void> {
  const { signal } = call.context
  const open = new AbortController()
  const expiry = performance.now() + terms.waitMs
  const given = new Promise<never>((_, reject) => open.signal.addEventListener('abort', () => reject(open.signal.reason)))
  const timer = setTimeout(() => open.abort(silent(call)), terms.waitMs)
  const stop = () => open.abort(signal.reason)
  signal.addEventListener('abort', stop)
  try {
    await Promise.race([given, decide(call, terms, open.signal)])
    // The answer and the timer may have come due together.
    if (performance.now() >= expiry) throw silent(call)
    signal.throwIfAborted()
  } finally {
    clearTimeout(timer)
    signal.removeEventListener('abort', stop)
  }
}

async function decide(call: ToolCall, terms: Terms, signal: AbortSignal): Promise<void> {
  const hash = await definitionHash(call.tool)
  const bound = {
    caller: call.caller.id,
    server: call.server,
    tool: call.tool.name,
    definitionHash: hash,
    arguments: call.arguments,
  }
  if (terms.remember && (await isGranted(terms.remember, bound))) return
  signal.throwIfAborted()
  const expiresAt = Date.now() + terms.waitMs
  const request = { id: crypto.randomUUID(), ...describeCall(call, hash), signal, expiresAt }
  const decision = readAnswer(await terms.ask(Object.freeze(request)))
  // What is said too late has no effect, not even on later calls.
  signal.throwIfAborted()
  if (!decision.allowed) throw denied(call, decision.why)
  if (decision.always && terms.remember) await grant(terms.remember, bound, decision.always)
}

async function grant(grants: Grants, { arguments: _, ...about }: Call, { forMs, ...constraint }: Always): Promise<void> {
  await grants.add({ id: crypto.randomUUID(), ...about, ...constraint, expiresAt: Date.now() + forMs })
}

/** What the handler reads must come from what was shown too, so it is made anew from a copy of its own. */
async function withInput(call: ToolCall): Promise<ToolCall> {
  if (call.input === undefined) return call
  const { value, issues } = await call.tool.checkInput(structuredClone(call.arguments))
  if (issues) throw new Refusal('invalid-arguments', `Invalid arguments for ${call.tool.name}`)
  return { ...call, input: value }
}

function denied({ tool }: ToolCall, why: string | undefined): Refusal {
  const said = why ? `: ${why}` : ''
  return new Refusal('not-approved', `The call to ${tool.name} was denied${said}. Do not repeat it unless the user asks for it.`)
}

const silent = ({ tool }: ToolCall): Refusal =>
  new Refusal('not-approved', `Nobody approved the call to ${tool.name} in time, so it was not made.`)

const unanswered = ({ tool }: ToolCall, cause: unknown): Refusal =>
  new Refusal('not-approved', `Approval could not be asked for, so the call to ${tool.name} was not made.`, { cause })
