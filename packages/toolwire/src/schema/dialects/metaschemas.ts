import type { Json, JsonObject } from '../../json.js'
import { dialects } from './dialects.js'
import type { Keyword } from './keyword.js'
import { metaDefinitions } from './shapes.js'
import { keywords07, retiredKeywords, vocabularies } from './vocabularies.js'

const root2020 = dialects['2020-12'].uri
const root07 = dialects['draft-07'].uri

/** Returns the meta-schema at a URI, built from the tables that schemas are checked with; undefined for any other URI. */
export function metaschemaAt(uri: string): Json | undefined {
  if (uri === root2020) {
    const allOf = vocabularies.map(({ meta }) => ({ $ref: meta }))
    return { ...document2020(root2020, vocabularies, retiredKeywords), allOf }
  }
  if (uri === root07) return document07()
  const vocabulary = vocabularies.find(({ meta }) => new URL(meta, root2020).href === uri)
  return vocabulary && document2020(uri, [vocabulary], vocabulary.keywords)
}

const document2020 = ($id: string, of: typeof vocabularies, keywords: readonly Keyword[]): JsonObject => ({
  $schema: root2020,
  $id,
  $vocabulary: Object.fromEntries(of.map(({ uri }) => [uri, true])),
  $dynamicAnchor: 'meta',
  type: ['object', 'boolean'],
  properties: propertiesOf(keywords),
  $defs: metaDefinitions,
})

function document07(): JsonObject {
  const document = { type: ['object', 'boolean'], properties: propertiesOf(keywords07), definitions: metaDefinitions }
  const told = JSON.stringify(document).replaceAll('"$dynamicRef":"#meta"', '"$ref":"#"').replaceAll('#/$defs/', '#/definitions/')
  return { $schema: `${root07}#`, $id: `${root07}#`, ...JSON.parse(told) }
}

const propertiesOf = (keywords: readonly Keyword[]): JsonObject =>
  Object.fromEntries(keywords.map(({ name, shape }) => [name, shape.meta]))
