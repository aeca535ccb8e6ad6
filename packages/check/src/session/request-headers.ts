// Headers in which the newest revision repeats parts of the body.
// spec 2026-07-28, basic/transports/streamable-http#request-metadata
import type { Json, JsonObject } from 'toolwire'
import { isObject, ownMember } from '../json.js'
import type { Revision } from '../revisions.js'

const named: Readonly<Record<string, string>> = { 'tools/call': 'name', 'prompts/get': 'name', 'resources/read': 'uri' }

/** The headers of a message in this revision. */
export function headersOf(revision: Revision, { method, params }: JsonObject, schema?: Json): Record<string, string> {
  if (revision.handshake || typeof method !== 'string') return {}
  const given = isObject(params) ? params : {}
  const name = given[named[method] ?? '']
  return {
    'mcp-protocol-version': revision.version,
    'mcp-method': method,
    ...(typeof name === 'string' && { 'mcp-name': inHeader(name) }),
    ...(isObject(given.arguments) && paramHeaders(schema, given.arguments)),
  }
}

/** A property that clients repeat in a header, with its path in the arguments. */
export type HeaderAnnotation = { readonly path: readonly string[]; readonly header: Json; readonly schema: JsonObject }

/** Annotations that can be reached from the root through `properties` alone. */
export function headerAnnotationsIn(schema: Json | undefined, path: readonly string[] = []): HeaderAnnotation[] {
  if (!isObject(schema) || !isObject(schema.properties) || path.length > 20) return []
  return Object.entries(schema.properties).flatMap(([name, one]) => {
    if (!isObject(one)) return []
    const here = [...path, name]
    const header = one['x-mcp-header']
    return [...(header === undefined ? [] : [{ path: here, header, schema: one }]), ...headerAnnotationsIn(one, here)]
  })
}

/** The headers that repeat arguments: those with a value that is a text, a number or a boolean. */
export function paramHeaders(schema: Json | undefined, args: JsonObject): Record<string, string> {
  const found = headerAnnotationsIn(schema).flatMap(({ path, header }): [string, string][] => {
    const value = path.reduce<Json | undefined>((at, name) => (isObject(at) ? ownMember(at, name) : undefined), args)
    if (typeof header !== 'string' || value === undefined || value === null || typeof value === 'object') return []
    return [[`mcp-param-${header.toLowerCase()}`, inHeader(String(value))]]
  })
  return Object.fromEntries(found)
}

/** Encodes a text as base64 if it is no valid header value. */
function inHeader(text: string): string {
  const plain = /^[\x21-\x7e]([\x20-\x7e]*[\x21-\x7e])?$/.test(text) && !(text.startsWith('=?base64?') && text.endsWith('?='))
  return plain || text === '' ? text : `=?base64?${Buffer.from(text).toString('base64')}?=`
}
