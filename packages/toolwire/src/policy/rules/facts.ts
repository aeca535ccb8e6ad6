import type { JsonObject } from '../../json.js'
import { anonymous, type Caller } from '../../tools/caller.js'
import { claimsOf, effectiveHints } from '../../tools/hints.js'
import type { Hints, ReadyTool, ToolCall } from '../../tools/tool.js'
import type { WrittenCall } from './rule-set.js'

/** What can be said about a tool before anybody calls it. */
export type ToolFacts = {
  readonly server?: string
  /** The name callers see. */
  readonly tool: string
  /** What its server calls it, where that is another name. */
  readonly ownName?: string
  /** Another tool of its server has, as its own, the name callers see this one under. */
  readonly shadowed?: boolean
  readonly hints: Readonly<Required<Hints>>
  readonly tags: readonly string[]
  /** What its server says of it, believed or not. Rules do not look at it. */
  readonly claims?: Hints
}

/** What can be said about a caller. */
export type CallerFacts = { readonly id: string; readonly scopes: readonly string[]; readonly anonymous: boolean }

/** A written call, with what is known of its tool. */
export type CallByName = WrittenCall & Pick<ToolFacts, 'shadowed' | 'claims'>

/** What rules look at. */
export type CallFacts = {
  readonly about: ToolFacts
  readonly caller: Caller
  readonly arguments: JsonObject
  /** Whether the caller has received something with this label. */
  readonly received: HasReceived
}

export type HasReceived = (label: string) => boolean
export const nothingReceived: HasReceived = () => false

/** A tool as it may be written down; what is not said of it is taken to be the worst. */
type DescribedTool = Omit<ToolFacts, 'hints' | 'tags'> & {
  readonly hints?: Hints | undefined
  readonly tags?: readonly string[] | undefined
}

export function describeTool({ server, tool, ownName = tool, shadowed, hints, tags = [], claims }: DescribedTool): ToolFacts {
  return {
    ...(server !== undefined && { server }),
    tool,
    ...(ownName !== tool && { ownName }),
    ...(shadowed && { shadowed }),
    hints: effectiveHints(hints),
    tags,
    ...(claims && { claims }),
  }
}

export const toolFacts = ({ name, definition, listed }: ReadyTool, server: string | undefined): ToolFacts =>
  describeTool({ ...definition, tool: name, server, claims: claimsOf(listed.annotations) })

export const factsOf = ({ tool, server, caller, arguments: args }: ToolCall): CallFacts => ({
  about: toolFacts(tool, server),
  caller,
  arguments: args,
  received: nothingReceived,
})

export function writtenFacts({ caller, arguments: args = {}, received = [], ...tool }: CallByName): CallFacts {
  const who = typeof caller === 'string' ? { id: caller, scopes: [] } : caller
  return {
    about: describeTool(tool),
    caller: who ? { ...who, scopes: who.scopes ?? [] } : anonymous,
    arguments: args,
    received: (label) => received.includes(label),
  }
}

export const callerFacts = ({ id, scopes, anonymous: unknown }: Caller): CallerFacts => ({
  id,
  scopes,
  anonymous: unknown === true,
})
