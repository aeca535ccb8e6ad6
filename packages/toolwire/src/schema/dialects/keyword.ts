import type { Json } from '../../json.js'
import type { Check } from '../compiler/validation-run.js'
import type { Pattern } from '../patterns/linear-patterns.js'
import type { ArgumentShape } from './shapes.js'

/** A keyword's view of its schema during compilation. */
export type KeywordSite = {
  /** Another keyword of the same schema; undefined if the dialect does not have it. */
  sibling(name: string): Json | undefined
  /** Compiles a schema for a member of the value. */
  child(schema: Json): Check
  /** Compiles a schema for the value itself. */
  inPlace(schema: Json): Check
  /** Compiles the target of a reference for the value itself. */
  reference(reference: string): Check
  /** Like `reference`, but the dynamic scope of each validation chooses the target. */
  dynamicReference(reference: string): Check
  pattern(source: string): Pattern
  /** True if an unevaluated keyword needs to know the evaluated members, so that no branch may be skipped. */
  readonly tracks: boolean
}

/** A keyword of JSON Schema: the shape of its argument and, for an assertion, its compiler. */
export type Keyword = {
  readonly name: string
  readonly shape: ArgumentShape
  readonly compile?: (argument: Json, site: KeywordSite) => Check | undefined
}

/** Declares a keyword; its compiler receives the argument with the type of the shape. */
export function keyword<T extends Json>(
  name: string,
  shape: ArgumentShape<T>,
  compile?: (argument: T, site: KeywordSite) => Check | undefined,
): Keyword {
  // The survey has refused arguments of any other shape, so the argument is a T.
  return { name, shape, ...(compile && { compile: (argument: Json, site: KeywordSite) => compile(argument as T, site) }) }
}

/** Entries of a map of schemas, without undefined members. */
export const schemaEntries = <T extends Json>(map: { [name: string]: T | undefined }): [string, T][] =>
  Object.entries(map).filter((entry): entry is [string, T] => entry[1] !== undefined)
