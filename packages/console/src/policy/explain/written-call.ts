// Reads calls that a user enters or pastes in any of the common formats.
import { parseJson } from '../../../../toolwire/src/json/parse.js'
import { isObject } from '../../../../toolwire/src/json/value.js'
import type { Json, JsonObject } from '../../api/types.js'

/** A call for the gateway to explain. */
export type WrittenCall = {
  readonly tool: string
  readonly arguments: JsonObject
  readonly caller?: string | JsonObject
  readonly server?: string
  readonly hints?: JsonObject
  readonly tags?: Json[]
}

/** The call as form fields. */
export type CallForm = { readonly tool: string; readonly caller: string; readonly scopes: string; readonly arguments: string }

export type ReadCall =
  | { readonly call: WrittenCall; readonly problem?: never }
  | { readonly call?: never; readonly problem: string }

export const emptyCallForm: CallForm = { tool: '', caller: '', scopes: '', arguments: '{}' }

/** Reads a pasted call: as in the rules, a `tools/call` message, an audit record, or a tool call of a model's API. */
export function readPasted(text: string): ReadCall {
  const value = parsed(text)
  if (value === undefined) return { problem: 'This is not JSON.' }
  if (!isObject(value))
    return { problem: 'A call must be a JSON object, such as { "tool": "read_file", "arguments": { "path": "/srv" } }.' }
  const call = innermost(value)
  const tool = nameIn(call)
  if (tool === undefined) return { problem: 'The tool is missing. Add "tool".' }
  const args = argumentsIn(call)
  if (!args) return { problem: '"arguments" must be a JSON object.' }
  return { call: { tool, arguments: args, ...callerFrom(call) } }
}

export function readCallForm({ tool, caller, scopes, arguments: text }: CallForm): ReadCall {
  if (tool.trim() === '') return { problem: 'Enter the name of the tool.' }
  const args = text.trim() === '' ? {} : parsed(text)
  if (!isObject(args)) return { problem: 'The arguments must be a JSON object, such as { "path": "/srv" }.' }
  const held = scopes.split(/[\s,]+/).filter(Boolean)
  const id = caller.trim()
  const who: JsonObject = { id: id || 'anonymous', scopes: held, anonymous: id === '' }
  return { call: { tool: tool.trim(), arguments: args, caller: who } }
}

export const pastedText = (call: WrittenCall): string => JSON.stringify(call, null, 2)

export function callFormOf({ tool, arguments: args, caller }: WrittenCall): CallForm {
  const who = typeof caller === 'string' ? { id: caller } : (caller ?? {})
  const id = who.anonymous === true || typeof who.id !== 'string' ? '' : who.id
  const scopes = Array.isArray(who.scopes) ? who.scopes.join(' ') : ''
  return { tool, caller: id, scopes, arguments: JSON.stringify(args, null, 2) }
}

function innermost(value: JsonObject): JsonObject {
  for (const name of ['params', 'call', 'function']) {
    const inner = value[name]
    if (isObject(inner) && nameIn(inner) !== undefined) return inner
  }
  return value
}

function nameIn({ tool, name }: JsonObject): string | undefined {
  if (typeof tool === 'string' && tool !== '') return tool
  if (isObject(tool) && typeof tool.name === 'string') return tool.name
  return typeof name === 'string' && name !== '' ? name : undefined
}

function argumentsIn({ arguments: args, input }: JsonObject): JsonObject | undefined {
  const given = args ?? input ?? {}
  const value = typeof given === 'string' ? parsed(given) : given
  return isObject(value) ? value : undefined
}

/** Optional properties of a call; the gateway would refuse others. */
function callerFrom({ caller, server, hints, tags }: JsonObject): Omit<WrittenCall, 'tool' | 'arguments'> {
  return {
    ...((typeof caller === 'string' || isObject(caller)) && { caller }),
    ...(typeof server === 'string' && { server }),
    ...(isObject(hints) && { hints }),
    ...(Array.isArray(tags) && { tags }),
  }
}

function parsed(text: string): Json | undefined {
  try {
    return parseJson(text)
  } catch {
    return undefined // the form reports it
  }
}
