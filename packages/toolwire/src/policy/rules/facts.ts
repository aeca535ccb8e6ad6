import type { JsonObject } from '../../json.js'
import { anonymous, type Caller } from '../../tools/caller.js'
import { claimsOf, effectiveHints } from '../../tools/hints.js'
import type { Hints, ReadyTool, ToolCall } from '../../tools/tool.js'
import type { WrittenCall } from './rule-set.js'

/** Facts about a tool that are known before any call. */
export type ToolFacts = {
  readonly server?: string
  /** The name that callers see. */
  readonly tool: string
  /** The server's own name for the tool, if it is another one. */
  readonly ownName?: string
  /** True if another tool of the server has, as its own name, the name that callers see for this one. */
  readonly shadowed?: boolean
  readonly hints: Readonly<Required<Hints>>
  readonly tags: readonly string[]
  /** Hints that the server claims, trusted or not. Conditions ignore them. */
  readonly claims?: Hints
}

export type CallerFacts = { readonly id: string; readonly scopes: readonly string[]; readonly anonymous: boolean }

/** A written call, with known facts about its tool. */
export type CallByName = WrittenCall & Pick<ToolFacts, 'shadowed' | 'claims'>

export type CallFacts = {
  readonly about: ToolFacts
  readonly caller: Caller
  readonly arguments: JsonObject
  /** True if the caller has received something with this label. */
  readonly received: HasReceived
}

export type HasReceived = (label: string) => boolean
export const nothingReceived: HasReceived = () => false

/** A tool as it may be written down. Missing facts count as the worst case. */
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
