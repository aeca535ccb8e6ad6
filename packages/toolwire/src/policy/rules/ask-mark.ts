import type { ToolCall } from '../../tools/tool.js'

/** Calls that a rule wants a person to be asked about, and whether anybody has taken that up. */
const marks = new WeakMap<ToolCall['context'], { seen: boolean }>()

/** Whether a rule wants a person to be asked about this call: `approve({ ask, when: asked })`. */
export function isAskedByRule({ context }: ToolCall): boolean {
  const mark = marks.get(context)
  if (mark) mark.seen = true
  return mark !== undefined
}

/** Marks a call; the function tells whether a policy has looked at the mark since. */
export function markAsked({ context }: ToolCall): () => boolean {
  const mark = { seen: false }
  marks.set(context, mark)
  return () => mark.seen
}

/** Calls that are made because an untrusted server says that the tool only reads. */
const claims = new WeakSet<ToolCall['context']>()

export const markClaimed = ({ context }: ToolCall): void => void claims.add(context)

/** For the record of the call. */
export const reliesOnClaim = ({ context }: ToolCall): boolean => claims.has(context)
