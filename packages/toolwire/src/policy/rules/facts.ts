import type { JsonObject } from '../../json.js'
import { anonymous, type Caller } from '../../tools/caller.js'
import type { Hints, ReadyTool, ToolCall } from '../../tools/tool.js'
import { believed, claimsOf } from '../approval.js'
import type { WrittenCall } from './rule-set.js'

/** What can be said about a tool before anybody calls it. */
export type ToolFacts = {
  readonly server?: string
  readonly tool: string
  readonly hints: Readonly<Required<Hints>>
  readonly tags: readonly string[]
  /** What its server says of it, believed or not. Rules do not look at it. */
  readonly claims?: Hints
}

/** What can be said about a caller. */
export type CallerFacts = { readonly id: string; readonly scopes: readonly string[]; readonly anonymous: boolean }

/** What rules look at. */
export type Facts = { readonly about: ToolFacts; readonly caller: Caller; readonly arguments: JsonObject }

export function toolFacts({ name, definition, listed }: ReadyTool, server: string | undefined): ToolFacts {
  return {
    ...(server !== undefined && { server }),
    tool: name,
    hints: believed(definition.hints),
    tags: definition.tags ?? [],
    claims: claimsOf(listed.annotations),
  }
}

/** A tool whose server says both has said nothing to rely on. */
export const claimsToRead = ({ claims }: ToolFacts): boolean => claims?.readOnly === true && claims.destructive !== true

export const factsOf = ({ tool, server, caller, arguments: args }: ToolCall): Facts => ({
  about: toolFacts(tool, server),
  caller,
  arguments: args,
})

/** A call as one would write it down, of a tool of which it is known what its server says. */
export type ClaimedCall = WrittenCall & { readonly claims?: Hints }

export function writtenFacts({ server, tool, hints, tags, claims, caller, arguments: args }: ClaimedCall): Facts {
  const who = typeof caller === 'string' ? { id: caller, scopes: [] } : caller
  return {
    about: { ...(server !== undefined && { server }), tool, hints: believed(hints), tags: tags ?? [], ...(claims && { claims }) },
    caller: who ? { ...who, scopes: who.scopes ?? [] } : anonymous,
    arguments: args ?? {},
  }
}

export const callerFacts = ({ id, scopes, anonymous: unknown }: Caller): CallerFacts => ({
  id,
  scopes,
  anonymous: unknown === true,
})
