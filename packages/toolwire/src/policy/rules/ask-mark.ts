import type { ToolCall } from '../../tools/tool.js'

/** Calls that a rule asks about. `seen` is true once a policy has looked at the mark. */
const marks = new WeakMap<ToolCall['context'], { seen: boolean }>()

/** True if a rule wants a person to be asked about this call. `approve` uses it unless it has another `when`. */
export function isAskedByRule({ context }: ToolCall): boolean {
  const mark = marks.get(context)
  if (mark) mark.seen = true
  return mark !== undefined
}

/** Marks a call. The returned function tells if a policy has looked at the mark since. */
export function markAsked({ context }: ToolCall): () => boolean {
  const mark = { seen: false }
  marks.set(context, mark)
  return () => mark.seen
}

/** Calls that are made only because an untrusted server claims that the tool is read-only. */
const claims = new WeakSet<ToolCall['context']>()

export const markClaimed = ({ context }: ToolCall): void => void claims.add(context)

/** For the audit record of the call. */
export const reliesOnClaim = ({ context }: ToolCall): boolean => claims.has(context)
