// Headers of the newest edition that repeat parts of the body, so that whoever stands between need not read it.
// spec 2026-07-28, basic/transports/streamable-http#request-metadata
import type { JsonObject } from '../json.js'
import { RpcError } from '../jsonrpc/error.js'
import type { Request } from '../jsonrpc/message.js'
import { fault } from '../tools/fault.js'

const headerMismatch = -32020
type Header = (name: string) => string | undefined

/** Where the name of a request stands that `Mcp-Name` repeats. */
const named: Readonly<Record<string, string>> = {
  'tools/call': 'name',
  'prompts/get': 'name',
  'resources/read': 'uri',
  'tasks/get': 'taskId',
  'tasks/update': 'taskId',
  'tasks/cancel': 'taskId',
}

/** Refuses a request whose `Mcp-Method` or `Mcp-Name` is missing or says something else than the body. */
export function checkMirrored(request: Request, header: Header): void {
  expect('Mcp-Method', request.method, header('mcp-method'))
  const field = named[request.method]
  const name = field && request.params?.[field]
  if (typeof name === 'string') expect('Mcp-Name', name, decode(header('mcp-name'), 'Mcp-Name'))
}

/** A parameter that clients repeat in `Mcp-Param-{header}`. */
export type MirroredParam = { readonly path: readonly string[]; readonly header: string }

export function checkMirroredParams(params: readonly MirroredParam[], args: JsonObject, header: Header): void {
  for (const { path, header: name } of params) {
    const value = at(args, path)
    if (typeof value !== 'string' && typeof value !== 'number' && typeof value !== 'boolean') continue
    const given = decode(header(`mcp-param-${name.toLowerCase()}`), `Mcp-Param-${name}`)
    if (typeof value === 'number' && given !== undefined && /^-?\d+(\.0+)?$/.test(given) && Number(given) === value) continue
    expect(`Mcp-Param-${name}`, String(value), given)
  }
}

/** Finds the parameters marked with `x-mcp-header`; throws where a mark breaks the rules. */
export function mirroredParams(schema: JsonObject): MirroredParam[] {
  const found = [...marked(schema, [])]
  const allowed = new Set(found.map((one) => one.schema))
  refuseElsewhere(schema, allowed)
  const seen = new Set<string>()
  for (const { header, path, schema } of found) {
    checkMark(header, path, schema)
    if (seen.has(header.toLowerCase()))
      throw fault(`x-mcp-header "${header}" is used twice; header names do not tell upper from lower case`)
    seen.add(header.toLowerCase())
  }
  return found.map(({ path, header }) => ({ path, header }))
}

type Marked = MirroredParam & { schema: JsonObject }

/** Properties reachable through `properties` alone: their values stand at a fixed place. */
function* marked(schema: JsonObject, path: readonly string[]): Generator<Marked> {
  const header = schema['x-mcp-header']
  if (path.length > 0 && header !== undefined) yield { path, header: typeof header === 'string' ? header : '', schema }
  for (const [name, property] of Object.entries(objectAt(schema.properties) ?? {})) {
    const inner = objectAt(property)
    if (inner) yield* marked(inner, [...path, name])
  }
}

function checkMark(header: string, path: readonly string[], schema: JsonObject): void {
  const where = path.join('.')
  if (!/^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/.test(header))
    throw fault(`x-mcp-header "${header}" on ${where} is no header name: use letters, digits and hyphens`)
  const types = [schema.type].flat().filter((type) => type !== 'null')
  const simple = types.length > 0 && types.every((type) => type === 'string' || type === 'integer' || type === 'boolean')
  if (!simple)
    throw fault(
      `x-mcp-header on ${where} needs the type string, integer or boolean; a ${String(types[0] ?? 'value without a type')} cannot be mirrored`,
    )
}

const dataKeywords: ReadonlySet<string> = new Set(['const', 'enum', 'default', 'examples'])

function refuseElsewhere(value: unknown, allowed: ReadonlySet<unknown>, named = false): void {
  if (typeof value !== 'object' || value === null) return
  if (!named && !Array.isArray(value) && 'x-mcp-header' in value && !allowed.has(value)) {
    throw fault(
      'x-mcp-header may stand only on properties that are reached through `properties` alone, not under items, $defs or a composition',
    )
  }
  for (const [key, inner] of Object.entries(value)) {
    if (named || !dataKeywords.has(key))
      refuseElsewhere(inner, allowed, !named && (key === 'properties' || key === '$defs' || key === 'patternProperties'))
  }
}

function expect(name: string, wanted: string, given: string | undefined): void {
  if (given === undefined) throw new RpcError(headerMismatch, `The ${name} header is missing`)
  if (given !== wanted) throw new RpcError(headerMismatch, `The ${name} header differs from the body`)
}

/** Values that do not fit a header travel as `=?base64?…?=`. */
function decode(value: string | undefined, name: string): string | undefined {
  const encoded = value?.trim()
  if (encoded === undefined || !encoded.startsWith('=?base64?') || !encoded.endsWith('?=') || encoded.length < 11)
    return checkPlain(encoded, name)
  const payload = encoded.slice(9, -2)
  if (payload.length % 4 !== 0 || !/^[A-Za-z0-9+/]*={0,2}$/.test(payload))
    throw new RpcError(headerMismatch, `The ${name} header holds broken base64`)
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(Uint8Array.from(atob(payload), (char) => char.charCodeAt(0)))
  } catch (cause) {
    throw new RpcError(headerMismatch, `The ${name} header holds base64 that is not text`, { cause })
  }
}

function checkPlain(value: string | undefined, name: string): string | undefined {
  if (value !== undefined && !/^[\t\x20-\x7e]*$/.test(value))
    throw new RpcError(
      headerMismatch,
      `The ${name} header holds characters that a header cannot carry; send them as =?base64?…?=`,
    )
  return value
}

function at(args: JsonObject, path: readonly string[]): unknown {
  return path.reduce<unknown>(
    (value, key) => (objectAt(value) && Object.hasOwn(value as object, key) ? (value as JsonObject)[key] : undefined),
    args,
  )
}

const objectAt = (value: unknown): JsonObject | undefined =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as JsonObject) : undefined
