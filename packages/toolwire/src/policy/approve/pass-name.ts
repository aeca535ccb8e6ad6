import type { ToolCall } from '../../tools/tool.js'

/**
 * A name for one call's way through one policy, the same in every round of the call. Two policies in a row, or one that is gone
 * through twice, must not share an approval. It is counted in the context, because a WeakMap costs the collector something for each call.
 */
export function passNameOf({ context }: ToolCall, policy: string): string {
  context.passes ??= []
  context.passes.push(policy)
  let count = 0
  for (const name of context.passes) if (name === policy) count++
  return `${policy}:${count}`
}
