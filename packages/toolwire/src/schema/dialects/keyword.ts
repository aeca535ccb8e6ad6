import type { Json } from '../../json.js'
import type { Check } from '../compiler/validation-run.js'
import type { Pattern } from '../patterns/linear-patterns.js'
import type { ArgumentShape } from './shapes.js'

/** What a keyword sees of the schema it stands in while it is compiled. */
export type KeywordSite = {
  /** Another keyword of the same schema; undefined where the dialect does not know it. */
  sibling(name: string): Json | undefined
  /** Compiles a schema for a member of the value. */
  child(schema: Json): Check
  /** Compiles a schema for the value itself. */
  inPlace(schema: Json): Check
  /** What a reference points to, applied to the value itself. */
  reference(reference: string): Check
  /** The same, the target chosen anew by the dynamic scope of each validation. */
  dynamicReference(reference: string): Check
  pattern(source: string): Pattern
  /** True when an unevaluated keyword may ask what was evaluated, so that no branch may be skipped. */
  readonly tracks: boolean
}

/** A keyword of JSON Schema: the shape of its argument and, where it asserts something, how it does. */
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
  // The survey refuses every schema whose arguments lack their shape, so a compiler meets a T only.
  return { name, shape, ...(compile && { compile: (argument: Json, site: KeywordSite) => compile(argument as T, site) }) }
}

/** A map of schemas as the survey has left it: without absent members. */
export const schemaEntries = <T extends Json>(map: { [name: string]: T | undefined }): [string, T][] =>
  Object.entries(map).filter((entry): entry is [string, T] => entry[1] !== undefined)
