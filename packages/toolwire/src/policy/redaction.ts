import { canonicalJson, isObject, type Json, type JsonObject } from '../json.js'
import type { ToolCall } from '../tools/tool.js'
import { hex } from './definition-hash.js'
import { frozenCopy } from './frozen.js'

/** What a value was like. The digest says which values were equal, to whoever has the key nothing more. */
export type Redacted = { readonly type: string; readonly length?: number; readonly hmac: string }
/** The arguments as a whole, and each that the tool's input schema names: other names may be secrets themselves. */
export type RedactedArguments = Redacted & { readonly named: { readonly [name: string]: Redacted } }

/** What of the arguments may be written down. */
export type Redactor = (call: ToolCall) => JsonObject | Promise<JsonObject>

const mostNamed = 64

export const unredacted: Redactor = (call) => frozenCopy(call.arguments)

/** Replaces values by their type, their length and an HMAC-SHA-256, so that equal values can be matched and none be read. */
export function withDigests(key: Uint8Array<ArrayBuffer>): Redactor {
  const imported = crypto.subtle.importKey('raw', key, { name: 'HMAC', hash: 'SHA-256' }, false, ['sign'])
  const redact = async (value: Json): Promise<Redacted> => {
    const text = new TextEncoder().encode(canonicalJson(value))
    const hmac = hex(await crypto.subtle.sign('HMAC', await imported, text))
    return { ...sizeOf(value), hmac }
  }
  return async ({ arguments: given, tool }) => {
    const names = namesIn(tool.listed.inputSchema).filter((name) => Object.hasOwn(given, name))
    const [all, ...values] = await Promise.all([given, ...names.map((name) => given[name] ?? null)].map(redact))
    return { ...all, named: Object.fromEntries(names.map((name, at) => [name, values[at]])) }
  }
}

/** The definition is a stranger's, so there may be any number of names in it. */
const namesIn = ({ properties }: JsonObject): string[] =>
  isObject(properties) ? Object.keys(properties).slice(0, mostNamed) : []

function sizeOf(value: Json): Omit<Redacted, 'hmac'> {
  if (typeof value === 'string' || Array.isArray(value)) {
    return { type: typeof value === 'string' ? 'string' : 'array', length: value.length }
  }
  if (isObject(value)) return { type: 'object', length: Object.keys(value).length }
  return { type: value === null ? 'null' : typeof value }
}
