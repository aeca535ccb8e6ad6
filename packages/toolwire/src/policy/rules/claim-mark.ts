import type { ToolCall } from '../../tools/tool.js'

/** Calls that are made because an untrusted server says that the tool only reads. */
const marks = new WeakSet<ToolCall['context']>()

export const markClaimed = ({ context }: ToolCall): void => void marks.add(context)

/** For the record of the call. */
export const reliesOnClaim = ({ context }: ToolCall): boolean => marks.has(context)
