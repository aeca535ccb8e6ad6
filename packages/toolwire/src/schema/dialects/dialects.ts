import { isObject, type Json, type JsonObject } from '../../json.js'
import { SchemaError } from '../schema-error.js'
import type { Keyword } from './keyword.js'
import { keywords07, keywords2020, retiredKeywords, vocabularies } from './vocabularies.js'

export const dialectNames = ['2020-12', 'draft-07'] as const
export type DialectName = (typeof dialectNames)[number]

/** A dialect of JSON Schema, with its keywords in the order they are checked. */
export type Dialect = {
  readonly name: DialectName
  readonly uri: string
  readonly keywords: ReadonlyMap<string, Keyword>
  /** Keywords beside a `$ref` are ignored. spec: draft-07 core, 8.3 */
  readonly refStandsAlone: boolean
  /** An `$id` of the form "#name" is an anchor. spec: draft-07 core, 8.2.3 */
  readonly idNamesAnchors: boolean
}

const byName = (keywords: readonly Keyword[]) => new Map(keywords.map((keyword) => [keyword.name, keyword]))

export const dialects: Readonly<Record<DialectName, Dialect>> = {
  '2020-12': {
    name: '2020-12',
    uri: 'https://json-schema.org/draft/2020-12/schema',
    keywords: byName([...keywords2020, ...retiredKeywords]),
    refStandsAlone: false,
    idNamesAnchors: false,
  },
  'draft-07': {
    name: 'draft-07',
    uri: 'http://json-schema.org/draft-07/schema',
    keywords: byName(keywords07),
    refStandsAlone: true,
    idNamesAnchors: true,
  },
}

/** The dialect that a `$schema` names; a custom dialect is read from its meta-schema, if available. */
export function dialectOf(uri: string, metaschemaOf: (uri: string) => Json | undefined): Dialect {
  const plain = uri.replace(/#$/, '')
  // Schemas name both dialects with http and with https.
  const bare = (text: string) => text.replace(/^https?:/, '')
  const known = dialectNames.find((name) => bare(dialects[name].uri) === bare(plain))
  if (known) return dialects[known]
  const metaschema = metaschemaOf(plain)
  if (isObject(metaschema)) return customDialect(plain, metaschema)
  throw unsupported(uri)
}

function customDialect(uri: string, metaschema: JsonObject): Dialect {
  const asked = metaschema.$vocabulary
  if (!isObject(asked)) throw unsupported(uri)
  const unknown = Object.keys(asked).find((name) => asked[name] === true && !vocabularies.some((each) => each.uri === name))
  const why = `requires the vocabulary ${unknown}, which is not supported; leave it out.`
  if (unknown) throw new SchemaError('unsupported-dialect', `The dialect ${uri} ${why}`)
  const chosen = vocabularies.filter((each) => Object.hasOwn(asked, each.uri))
  return { ...dialects['2020-12'], uri, keywords: byName(chosen.flatMap((each) => each.keywords)) }
}

function unsupported(uri: string): SchemaError {
  const supported = dialectNames.map((name) => dialects[name].uri).join(' and ')
  const what = `The schema names the dialect ${JSON.stringify(uri)}, which is not supported`
  return new SchemaError('unsupported-dialect', `${what}; use ${supported}, or leave $schema out for 2020-12.`)
}
