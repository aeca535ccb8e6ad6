// The state of a tool, the basis of its hints, and the rules' decision about it.
export const toolStates = ['on', 'off', 'hidden'] as const
/** `on`: offered. `off`: refused and not listed. `hidden`: not listed, and refused unless a rule that names it permits the call. */
export type ToolState = (typeof toolStates)[number]

/** The decision for calls with any arguments; `depends` if the arguments or the caller decide. */
export type Outlook = 'allow' | 'ask' | 'deny' | 'depends'

/** The source of a hint: an untrusted server's claim, the operator or a trusted server, or none. */
export type HintBasis = 'claimed' | 'trusted' | 'unsaid'
