// Keys of `_meta` that the protocol allows without a prefix. https://www.w3.org/TR/trace-context/, https://www.w3.org/TR/baggage/

const stateMember = '[a-z0-9][a-z0-9_*/@-]{0,255}=[\\x20-\\x2b\\x2d-\\x3c\\x3e-\\x7e]{1,256}'
const token = "[\\w!#$%&'*+.^`|~-]+"
const baggageMember = `${token}[ \\t]*=[ \\t]*[^\\s",;\\\\]*(?:[ \\t]*;[ \\t]*${token}(?:=[^\\s",;\\\\]*)?)*`

const listOf = (member: string) => new RegExp(`^${member}(?:[ \\t]*,[ \\t]*${member})*$`)

export const traceForms: ReadonlyMap<string, RegExp> = new Map([
  ['traceparent', /^(?!ff)[0-9a-f]{2}-(?!0{32})[0-9a-f]{32}-(?!0{16})[0-9a-f]{16}-[0-9a-f]{2}$/],
  ['tracestate', listOf(stateMember)],
  ['baggage', listOf(baggageMember)],
])
