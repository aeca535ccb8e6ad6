// Rewrites a tool's schemas for a client that cannot read them. Calls are still validated with the upstream's schemas.
import type { JsonObject } from 'toolwire'
import { type ListedTool, schemas } from 'toolwire/relay'
import { isObject } from '../../json/is-object.js'
import type { SchemaProblem } from './known-clients.js'

type Use = 'input' | 'output'

/** The tool unchanged, if the client can read it. Throws NotPortable if its input schema cannot be rewritten. */
export function repairTool(listed: ListedTool, troubles: readonly SchemaProblem[]): ListedTool {
  const { inputSchema, outputSchema } = listed
  const input = mended(inputSchema, 'input', troubles)
  const output = isObject(outputSchema) ? mendedOutput(outputSchema, troubles) : outputSchema
  if (input === inputSchema && output === outputSchema) return listed
  const { outputSchema: _, ...rest } = listed
  return { ...rest, inputSchema: input, ...(output !== undefined && { outputSchema: output }) }
}

/** An output schema that cannot be rewritten is dropped, because results can be read without it. */
function mendedOutput(schema: JsonObject, troubles: readonly SchemaProblem[]): JsonObject | undefined {
  try {
    return mended(schema, 'output', troubles)
  } catch (thrown) {
    if (thrown instanceof schemas.NotPortable) return undefined
    throw thrown
  }
}

function mended(schema: JsonObject, use: Use, troubles: readonly SchemaProblem[]): JsonObject {
  const found = troubles.filter((trouble) => has[trouble](schema, use))
  if (found.length === 0) return schema
  const isNamed = found.every((trouble) => trouble === 'dialect' || trouble === 'newerDialect')
  return isNamed && !isOlder(schema) ? unnamed(schema) : schemas.portableSchema(schema, use)
}

/** Without $schema, the default dialect applies, which means the same here. */
function unnamed({ $schema: _, ...schema }: JsonObject): JsonObject {
  return schema
}

const has: { readonly [T in SchemaProblem]: (schema: JsonObject, use: Use) => boolean } = {
  references: (schema) => /"\$(?:dynamicR|recursiveR|r)ef":/.test(JSON.stringify(schema)),
  // Clients pass only input schemas on to models.
  combinations: ({ allOf, anyOf, oneOf }, use) => use === 'input' && [allOf, anyOf, oneOf].some((one) => one !== undefined),
  dialect: ({ $schema }) => $schema !== undefined,
  newerDialect: (schema) => schema.$schema !== undefined && !isOlder(schema),
}

const isOlder = ({ $schema }: JsonObject): boolean => typeof $schema === 'string' && /draft-0[467]/.test($schema)
