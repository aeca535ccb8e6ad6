// What somebody has said about a tool, and what rules decide about it.
export const toolStates = ['on', 'off', 'hidden'] as const
/** Offered; refused and not listed; or not listed, and called only where a rule that names it lets it be. */
export type ToolState = (typeof toolStates)[number]

/** The decision for calls with any arguments; `depends` if the arguments or the caller decide. */
export type Outlook = 'allow' | 'ask' | 'deny' | 'depends'

/** Who says so: an untrusted server, which nobody has verified; the operator, or a server that is trusted; or nobody. */
export type HintBasis = 'claimed' | 'trusted' | 'unsaid'
