// The checks of the library, within the bounds for schemas of strangers.
import { compile } from '../../../toolwire/src/schema/compile-schema.js'
import type { Issue } from '../../../toolwire/src/schema/issue.js'
import type { Json } from './json.js'

export type { Issue }
/** Says why a value does not fit. */
export type SchemaCheck = (value: Json) => readonly Issue[]

const home = 'toolwire-console:tool'

/** The check of a whole schema, or why there is none. */
export function schemaCheckOf(schema: Json): SchemaCheck | { readonly why: string } {
  try {
    const { check } = compile(schema)
    return (value) => check(value)
  } catch (thrown) {
    return { why: thrown instanceof Error ? thrown.message : 'the schema cannot be read' }
  }
}

/** The check of one part of a schema, by the JSON pointer to it. */
export function partCheckOf(root: Json, pointer: string): SchemaCheck | undefined {
  const fragment = pointer.split('/').map(encodeURIComponent).join('/')
  try {
    const { check } = compile({ $ref: `${home}#${fragment}` }, { remotes: { [home]: root } })
    return (value) => check(value)
  } catch {
    return undefined // its whole cannot be checked either, and that is told where the whole is
  }
}
