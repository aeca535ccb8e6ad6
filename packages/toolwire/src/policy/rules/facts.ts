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

export function toolFacts({ name, definition, listed }: ReadyTool, server: string | undefined): ToolFacts {
  const { ownName = name, shadowed } = definition
  return {
    ...(server !== undefined && { server }),
    tool: name,
    ...(ownName !== name && { ownName }),
    ...(shadowed && { shadowed }),
    hints: effectiveHints(definition.hints),
    tags: definition.tags ?? [],
    claims: claimsOf(listed.annotations),
  }
}

export const factsOf = ({ tool, server, caller, arguments: args }: ToolCall): CallFacts => ({
  about: toolFacts(tool, server),
  caller,
  arguments: args,
  received: nothingReceived,
})

export function writtenFacts({
  server,
  tool,
  ownName = tool,
  shadowed,
  hints,
  tags,
  claims,
  caller,
  arguments: args,
  received = [],
}: CallByName): CallFacts {
  const who = typeof caller === 'string' ? { id: caller, scopes: [] } : caller
  return {
    about: {
      ...(server !== undefined && { server }),
      tool,
      ...(ownName !== tool && { ownName }),
      ...(shadowed && { shadowed }),
      hints: effectiveHints(hints),
      tags: tags ?? [],
      ...(claims && { claims }),
    },
    caller: who ? { ...who, scopes: who.scopes ?? [] } : anonymous,
    arguments: args ?? {},
    received: (label) => received.includes(label),
  }
}

export const callerFacts = ({ id, scopes, anonymous: unknown }: Caller): CallerFacts => ({
  id,
  scopes,
  anonymous: unknown === true,
})
