// The library's validator, with its limits for untrusted schemas.
import { compile } from '../../../toolwire/src/schema/compile-schema.js'
import type { Issue } from '../../../toolwire/src/schema/issue.js'
import type { Json } from './json.js'

export type { Issue }
/** Returns the reasons why a value is invalid. */
export type SchemaCheck = (value: Json) => readonly Issue[]

const home = 'toolwire-console:tool'

/** The validator of a schema, or the reason why there is none. */
export function schemaCheckOf(schema: Json): SchemaCheck | { readonly why: string } {
  try {
    const { check } = compile(schema)
    return (value) => check(value)
  } catch (thrown) {
    return { why: thrown instanceof Error ? thrown.message : 'the schema cannot be read' }
  }
}

/** The validator of a part of a schema, by JSON pointer. */
export function partCheckOf(root: Json, pointer: string): SchemaCheck | undefined {
  const fragment = pointer.split('/').map(encodeURIComponent).join('/')
  try {
    const { check } = compile({ $ref: `${home}#${fragment}` }, { remotes: { [home]: root } })
    return (value) => check(value)
  } catch {
    return undefined // the whole schema cannot be compiled either, which is reported for it
  }
}
