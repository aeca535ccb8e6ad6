import { annotations, content, format } from '../keywords/annotations.js'
import { anyType } from '../keywords/any-type.js'
import { additionalItems, items07, listSizes, lists, unevaluatedItems } from '../keywords/arrays.js'
import { combinators } from '../keywords/combinators.js'
import { numeric } from '../keywords/numbers.js'
import { dependencies, dependentRequired, dependentSchemas, objectSizes, required } from '../keywords/objects.js'
import { members, unevaluatedProperties } from '../keywords/properties.js'
import { definitions07, id07, references } from '../keywords/references.js'
import { textual } from '../keywords/strings.js'
import type { Keyword } from './keyword.js'

/** A named group of keywords; `meta` is the URI of its meta-schema, relative to that of the dialect. */
type Vocabulary = { readonly uri: string; readonly meta: string; readonly keywords: readonly Keyword[] }

const vocabulary = (name: string, ...keywords: readonly Keyword[]): Vocabulary => ({
  uri: `https://json-schema.org/draft/2020-12/vocab/${name}`,
  meta: `meta/${name}`,
  keywords,
})

/** The vocabularies of 2020-12, in the order in which their keywords are checked: unevaluated keywords last. */
export const vocabularies: readonly Vocabulary[] = [
  vocabulary('validation', ...anyType, ...numeric, ...textual, ...listSizes, required, dependentRequired, ...objectSizes),
  vocabulary('core', ...references),
  vocabulary('applicator', ...lists, ...members, dependentSchemas, ...combinators),
  vocabulary('unevaluated', unevaluatedProperties, unevaluatedItems),
  vocabulary('meta-data', ...annotations),
  vocabulary('format-annotation', format),
  vocabulary('content', ...content),
]

export const keywords2020 = vocabularies.flatMap(({ keywords }) => keywords)

/** Keywords of earlier dialects that 2020-12 still gives a shape. */
export const retiredKeywords: readonly Keyword[] = [definitions07, { name: 'dependencies', shape: dependencies.shape }]

/** Keywords of draft-07, by the keyword of 2020-12 that they stand for. */
const earlier: ReadonlyMap<string, Keyword> = new Map([
  ['$id', id07],
  ['$defs', definitions07],
  ['prefixItems', items07],
  ['items', additionalItems],
  ['dependentSchemas', dependencies],
])
const later: ReadonlySet<string> = new Set([
  ...['$anchor', '$dynamicAnchor', '$vocabulary', '$dynamicRef', 'dependentRequired', 'minContains', 'maxContains'],
  ...['unevaluatedProperties', 'unevaluatedItems', 'deprecated', 'contentSchema'],
])

export const keywords07 = keywords2020.filter(({ name }) => !later.has(name)).map((each) => earlier.get(each.name) ?? each)
