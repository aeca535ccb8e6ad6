// Finds the parameters of a tool that clients repeat in headers. The schema marks them with `x-mcp-header`.
// spec 2026-07-28, basic/transports/streamable-http#request-metadata
import { finish, type Steps } from '../../bounds/steps.js'
import { isObject, type Json, type JsonObject } from '../../json.js'
import { definitionError } from '../../tools/checks/definition-error.js'
import { dataKeywords } from '../encode/relocate-schema.js'

/** A parameter that clients repeat in `Mcp-Param-{header}`. */
export type HeaderParam = { readonly path: readonly string[]; readonly header: string }

export const noParams: readonly HeaderParam[] = []

/** Finds the parameters marked with `x-mcp-header`; throws if a mark breaks the rules. */
export const headerParamsIn = (schema: JsonObject): readonly HeaderParam[] => finish(headerParamSteps(schema))

/** Does the same in steps, because the schema of a server may be large. */
export function* headerParamSteps(schema: JsonObject): Steps<readonly HeaderParam[]> {
  const found = yield* markedSteps(schema)
  const allowed = new Set(found.map((one) => one.schema))
  yield* refuseOtherMarks(schema, allowed)
  if (found.length === 0) return noParams
  const seen = new Set<string>()
  for (const { header, path, schema } of found) {
    checkHeaderMark(header, path, schema)
    if (seen.has(header.toLowerCase()))
      throw definitionError(`x-mcp-header "${header}" is used twice; header names do not tell upper from lower case`)
    seen.add(header.toLowerCase())
  }
  return found.map(({ path, header }) => ({ path, header }))
}

/** The argument at the path of a parameter, if it has a value. */
export function argumentAt(args: JsonObject, path: readonly string[]): Json | undefined {
  const step = (value: Json | undefined, key: string) => (isObject(value) && Object.hasOwn(value, key) ? value[key] : undefined)
  return path.reduce<Json | undefined>(step, args)
}

/** A value that a header can carry. */
export const isPlain = (value: Json | undefined): value is string | number | boolean =>
  typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean'

type Marked = HeaderParam & { schema: JsonObject }

/** Marked properties that are reachable through `properties` alone, so that their values have a fixed path. */
function* markedSteps(root: JsonObject): Steps<Marked[]> {
  const found: Marked[] = []
  const open: { readonly schema: JsonObject; readonly path: readonly string[] }[] = [{ schema: root, path: [] }]
  // Walks the properties that it adds, too.
  for (const { schema, path } of open) {
    const header = schema['x-mcp-header']
    if (path.length > 0 && header !== undefined) found.push({ path, header: typeof header === 'string' ? header : '', schema })
    for (const [name, property] of Object.entries(isObject(schema.properties) ? schema.properties : {}))
      if (isObject(property)) open.push({ schema: property, path: [...path, name] })
    yield
  }
  return found
}

function checkHeaderMark(header: string, path: readonly string[], schema: JsonObject): void {
  const where = path.join('.')
  if (!/^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/.test(header))
    throw definitionError(`x-mcp-header "${header}" on ${where} is not a header name: use letters, digits and hyphens`)
  const types = [schema.type].flat().filter((type) => type !== 'null')
  if (types.length > 0 && types.every((type) => type === 'string' || type === 'integer' || type === 'boolean')) return
  const got = String(types[0] ?? 'value without a type')
  throw definitionError(`x-mcp-header on ${where} needs the type string, integer or boolean; a ${got} cannot be mirrored`)
}

function* refuseOtherMarks(root: JsonObject, allowed: ReadonlySet<unknown>): Steps<void> {
  const open: { readonly value: object; readonly named: boolean }[] = [{ value: root, named: false }]
  // Walks the values that it adds, too.
  for (const { value, named } of open) {
    if (!named && !Array.isArray(value) && 'x-mcp-header' in value && !allowed.has(value)) {
      throw definitionError(
        'x-mcp-header may stand only on properties that are reached through `properties` alone, not under items, $defs or a composition',
      )
    }
    for (const [key, inner] of Object.entries(value)) {
      if (typeof inner !== 'object' || inner === null || (!named && dataKeywords.has(key))) continue
      open.push({ value: inner, named: !named && (key === 'properties' || key === '$defs' || key === 'patternProperties') })
    }
    yield
  }
}
