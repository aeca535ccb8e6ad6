import type { Caller } from '../tools/caller.js'
import type { ToolResult } from '../tools/result.js'
import type { ReadyTool, ToolCall } from '../tools/tool.js'

/** What comes after a policy: the next one, and after the last the handler. */
export type Next = (call: ToolCall) => Promise<ToolResult>

/** One concern around every tool: what a caller may see, and what happens around a call. It says no by throwing a Refusal. */
export interface Policy {
  readonly name: string
  /** Whether it has anything to do with this tool; asked once, when the tool is registered. */
  applies?(tool: ReadyTool): boolean
  list?(tools: readonly ReadyTool[], caller: Caller): readonly ReadyTool[]
  call?(call: ToolCall, next: Next): Promise<ToolResult>
}

/** The first policy is the outermost: it sees the call first and the result last. */
export function around(policies: readonly Policy[], tool: ReadyTool, handler: Next): Next {
  const concerned = policies.filter(hasCall).filter((policy) => policy.applies?.(tool) ?? true)
  return concerned.reduceRight<Next>((next, policy) => (call) => policy.call(call, next), handler)
}

const hasCall = (policy: Policy): policy is Policy & Required<Pick<Policy, 'call'>> => policy.call !== undefined

/** Whether what is visible may differ from caller to caller: some policy that hides tools concerns one of these. */
export function differs(policies: readonly Policy[], tools: readonly ReadyTool[]): boolean {
  return policies.some((policy) => policy.list && tools.some((tool) => policy.applies?.(tool) ?? true))
}

/** The same array when nothing is hidden, so that it can stand for "everything". */
export function visible(policies: readonly Policy[], tools: readonly ReadyTool[], caller: Caller): readonly ReadyTool[] {
  const seen = policies.reduce((shown, policy) => policy.list?.(shown, caller) ?? shown, tools)
  return seen.length === tools.length ? tools : seen
}
