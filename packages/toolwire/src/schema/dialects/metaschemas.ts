import type { Json, JsonObject } from '../../json.js'
import { dialects } from './dialects.js'
import type { Keyword } from './keyword.js'
import { metaDefinitions } from './shapes.js'
import { keywords07, retiredKeywords, vocabularies } from './vocabularies.js'

const root2020 = dialects['2020-12'].uri
const root07 = dialects['draft-07'].uri

/** The meta-schema at a URI, told from the same tables that schemas are checked with; undefined for any other URI. */
export function metaschemaAt(uri: string): Json | undefined {
  if (uri === root2020) return document2020()
  if (uri === root07) return document07()
  const vocabulary = vocabularies.find(({ meta }) => metaUri(meta) === uri)
  return vocabulary && vocabularyDocument(vocabulary.meta, vocabulary.uri, vocabulary.keywords)
}

function metaUri(meta: string): string {
  return new URL(meta, root2020).href
}

function document2020(): JsonObject {
  return {
    $schema: root2020,
    $id: root2020,
    $vocabulary: Object.fromEntries(vocabularies.map(({ uri }) => [uri, true])),
    $dynamicAnchor: 'meta',
    allOf: vocabularies.map(({ meta }) => ({ $ref: meta })),
    type: ['object', 'boolean'],
    properties: propertiesOf(retiredKeywords),
    $defs: metaDefinitions,
  }
}

function vocabularyDocument(meta: string, uri: string, keywords: readonly Keyword[]): JsonObject {
  return {
    $schema: root2020,
    $id: metaUri(meta),
    $vocabulary: { [uri]: true },
    $dynamicAnchor: 'meta',
    type: ['object', 'boolean'],
    properties: propertiesOf(keywords),
    $defs: metaDefinitions,
  }
}

function document07(): JsonObject {
  const document = { type: ['object', 'boolean'], properties: propertiesOf(keywords07), definitions: metaDefinitions }
  const told = JSON.stringify(document).replaceAll('"$dynamicRef":"#meta"', '"$ref":"#"').replaceAll('#/$defs/', '#/definitions/')
  return { $schema: `${root07}#`, $id: `${root07}#`, ...JSON.parse(told) }
}

function propertiesOf(keywords: readonly Keyword[]): JsonObject {
  return Object.fromEntries(keywords.map(({ name, shape }) => [name, shape.meta]))
}
