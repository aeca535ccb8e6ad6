import type { JsonObject } from '../../json.js'
import { anonymous, type Caller } from '../../tools/caller.js'
import type { Hints, ReadyTool, ToolCall } from '../../tools/tool.js'
import { believed } from '../approval.js'
import type { WrittenCall } from './rule-set.js'

/** What can be said about a tool before anybody calls it. */
export type ToolFacts = {
  readonly server?: string
  readonly tool: string
  readonly hints: Readonly<Required<Hints>>
  readonly tags: readonly string[]
}

/** What can be said about a caller. */
export type CallerFacts = { readonly id: string; readonly scopes: readonly string[]; readonly anonymous: boolean }

/** What rules look at. */
export type Facts = { readonly about: ToolFacts; readonly caller: Caller; readonly arguments: JsonObject }

export function toolFacts({ name, definition }: ReadyTool, server: string | undefined): ToolFacts {
  return {
    ...(server !== undefined && { server }),
    tool: name,
    hints: believed(definition.hints),
    tags: definition.tags ?? [],
  }
}

export const factsOf = ({ tool, server, caller, arguments: args }: ToolCall): Facts => ({
  about: toolFacts(tool, server),
  caller,
  arguments: args,
})

export function writtenFacts({ server, tool, hints, tags, caller, arguments: args }: WrittenCall): Facts {
  const who = typeof caller === 'string' ? { id: caller, scopes: [] } : caller
  return {
    about: { ...(server !== undefined && { server }), tool, hints: believed(hints), tags: tags ?? [] },
    caller: who ? { ...who, scopes: who.scopes ?? [] } : anonymous,
    arguments: args ?? {},
  }
}

export const callerFacts = ({ id, scopes, anonymous: unknown }: Caller): CallerFacts => ({
  id,
  scopes,
  anonymous: unknown === true,
})
