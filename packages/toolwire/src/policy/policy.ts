import type { Caller } from '../tools/caller.js'
import type { ToolResult } from '../tools/result.js'
import type { ReadyTool, ToolCall } from '../tools/tool.js'
import type { ResultCleaning } from './sanitize/result-cleaner.js'

/** What comes after a policy: the next one, and after the last the handler. */
export type Next = (call: ToolCall) => Promise<ToolResult>

/** One concern around every tool: what a caller may see, and what happens around a call. It says no by throwing a Refusal. */
export interface Policy {
  readonly name: string
  /** Whether it has anything to do with this tool; asked once, when the tool is registered. */
  applies?(tool: ReadyTool): boolean
  list?(tools: readonly ReadyTool[], caller: Caller): readonly ReadyTool[]
  call?(call: ToolCall, next: Next): Promise<ToolResult>
  /** Of a server in front of others: asked before a caller reads, watches or completes what is another server's. */
  read?(server: string, caller: Caller): void
  /** Of a client: cleans what the server says besides the results of calls. Asked before each connection; the first policy that has it does. */
  words?(): Promise<ResultCleaning>
}

/**
 * Gives each tool what concerns it around the handler. The first policy is the outermost: it sees the call first and the result last.
 * Tools that concern the same policies share one chain, because a server may have thousands of them.
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

/** Whether what is visible may differ from caller to caller: some policy that hides tools concerns one of these. */
export const mayDifferByCaller = (policies: readonly Policy[], tools: readonly ReadyTool[]): boolean =>
  policies.some((policy) => policy.list && tools.some((tool) => policy.applies?.(tool) ?? true))

/** Those that are shown; the same array when nothing is hidden, so that it can stand for "everything". */
export function filterTools(tools: readonly ReadyTool[], isShown: (tool: ReadyTool) => boolean): readonly ReadyTool[] {
  const shown = tools.filter(isShown)
  return shown.length === tools.length ? tools : shown
}

/** Fewer are looked at each time. */
const many = 64

/** What is said of a list as a whole, found out once for each long one: a server's is the same array until something changes. */
export function memoizeLongLists<T extends NonNullable<unknown>>(
  say: (tools: readonly ReadyTool[]) => T,
): (tools: readonly ReadyTool[], isStill?: (said: T) => boolean) => T {
  const known = new WeakMap<readonly ReadyTool[], T>()
  return (tools, isStill = () => true) => {
    if (tools.length < many) return say(tools)
    const before = known.get(tools)
    if (before !== undefined && isStill(before)) return before
    const said = say(tools)
    known.set(tools, said)
    return said
  }
}

/** The same array when nothing is hidden. */
export function visibleTools(policies: readonly Policy[], tools: readonly ReadyTool[], caller: Caller): readonly ReadyTool[] {
  const seen = policies.reduce((shown, policy) => policy.list?.(shown, caller) ?? shown, tools)
  return seen.length === tools.length ? tools : seen // a policy of somebody's own may copy
}
