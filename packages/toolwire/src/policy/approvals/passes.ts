import type { ToolCall } from '../../tools/tool.js'

const seen = new WeakMap<ToolCall['context'], Map<string, number>>()

/**
 * A name for one call's way through one policy, the same in every round of the call. Two policies in a row, or one that is gone
 * through twice, must not share an approval.
 */
export function passOf({ context }: ToolCall, policy: string): string {
  const passes = seen.get(context) ?? new Map<string, number>()
  const count = (passes.get(policy) ?? 0) + 1
  seen.set(context, passes.set(policy, count))
  return `${policy}:${count}`
}
