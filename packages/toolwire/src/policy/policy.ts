import type { Caller } from '../tools/caller.js'
import type { ToolResult } from '../tools/result.js'
import type { ReadyTool, ToolCall } from '../tools/tool.js'
import type { ResultCleaning } from './sanitize/result-cleaner.js'

/** The next policy, or the handler after the last policy. */
export type Next = (call: ToolCall) => Promise<ToolResult>

/** Tells a policy that a read is over. */
export type ReadEnd = () => void

/** One concern around every tool: the tools that a caller may see, and the handling of a call. It refuses a call by throwing a Refusal. */
export interface Policy {
  readonly name: string
  /** Returns true if the policy concerns this tool. Called once, when the tool is registered. */
  applies?(tool: ReadyTool): boolean
  list?(tools: readonly ReadyTool[], caller: Caller): readonly ReadyTool[]
  /** True if no call of the tool can be allowed to this caller. A refused call of it is then answered like one of an absent tool. */
  hides?(tool: ReadyTool, caller: Caller): boolean
  /** For a server in front of others: true if this caller can read nothing of another server, so that all of it looks absent. */
  hidesServer?(server: string, caller: Caller): boolean
  call?(call: ToolCall, next: Next): Promise<ToolResult>
  /**
   * For a server in front of others: called before a caller reads, watches or completes anything of another server. A returned function is
   * called when nothing more of that can reach the caller.
   */
  read?(server: string, caller: Caller): ReadEnd | undefined | Promise<ReadEnd | undefined>
  /** For a client: returns a cleaner for server text outside of results. Called before each connection, on the first policy that has it. */
  words?(): Promise<ResultCleaning>
}

/**
 * Wraps the handler in the policies that concern a tool. The first policy is the outermost: it sees the call first and the result last.
 * Tools with the same policies share one chain, because a server may have thousands of tools.
 */
export function chainsAround(policies: readonly Policy[], handler: Next): (tool: ReadyTool) => Next {
  const all = policies.filter(hasCall)
  const chains = new Map<string, Next>()
  return (tool) => {
    const concerned = all.map((policy) => policy.applies?.(tool) ?? true)
    const key = concerned.join()
    const known = chains.get(key)
    if (known) return known
    const around =
      (next: Next, policy: Required<Pick<Policy, 'call'>>): Next =>
      (call) =>
        policy.call(call, next)
    const chain = all.filter((_, at) => concerned[at]).reduceRight(around, handler)
    chains.set(key, chain)
    return chain
  }
}

const hasCall = (policy: Policy): policy is Policy & Required<Pick<Policy, 'call'>> => policy.call !== undefined

/** True if callers may see different tools, because a policy that hides tools concerns one of these. */
export const mayDifferByCaller = (policies: readonly Policy[], tools: readonly ReadyTool[]): boolean =>
  policies.some((policy) => policy.list && tools.some((tool) => policy.applies?.(tool) ?? true))

/** Returns the tools that are shown. It is the same array if nothing is hidden, so that it can stand for "everything". */
export function filterTools(tools: readonly ReadyTool[], isShown: (tool: ReadyTool) => boolean): readonly ReadyTool[] {
  const shown = tools.filter(isShown)
  return shown.length === tools.length ? tools : shown
}

/** Shorter lists are examined each time. */
const longListLength = 64

/** Computes a value of a whole list, once for each long list. A server keeps the same array until something changes. */
export function memoizeLongLists<T extends NonNullable<unknown>>(
  say: (tools: readonly ReadyTool[]) => T,
): (tools: readonly ReadyTool[], isStill?: (said: T) => boolean) => T {
  const known = new WeakMap<readonly ReadyTool[], T>()
  return (tools, isStill = () => true) => {
    if (tools.length < longListLength) return say(tools)
    const before = known.get(tools)
    if (before !== undefined && isStill(before)) return before
    const said = say(tools)
    known.set(tools, said)
    return said
  }
}

/** Returns the tools that the caller may see; the same array if nothing is hidden. */
export function visibleTools(policies: readonly Policy[], tools: readonly ReadyTool[], caller: Caller): readonly ReadyTool[] {
  const seen = policies.reduce((shown, policy) => policy.list?.(shown, caller) ?? shown, tools)
  return seen.length === tools.length ? tools : seen // a custom policy may copy
}
