import * as annotations from '../keywords/annotations.js'
import * as anyType from '../keywords/any-type.js'
import * as arrays from '../keywords/arrays.js'
import * as combinators from '../keywords/combinators.js'
import * as numbers from '../keywords/numbers.js'
import * as objects from '../keywords/objects.js'
import * as members from '../keywords/properties.js'
import * as references from '../keywords/references.js'
import * as strings from '../keywords/strings.js'
import * as unevaluated from '../keywords/unevaluated.js'
import type { Keyword } from './keyword.js'

/** A named group of keywords; `meta` is where its meta-schema lies beside that of the dialect. */
type Vocabulary = { readonly uri: string; readonly meta: string; readonly keywords: readonly Keyword[] }

const vocabularyUri = (name: string) => `https://json-schema.org/draft/2020-12/vocab/${name}`
const vocabulary = (name: string, keywords: readonly Keyword[]): Vocabulary => ({
  uri: vocabularyUri(name),
  meta: `meta/${name}`,
  keywords,
})

const { type, enumeration, constant } = anyType
const { minimum, maximum, exclusiveMinimum, exclusiveMaximum, multipleOf } = numbers
const { minLength, maxLength, pattern } = strings
const { minItems, maxItems, uniqueItems, minContains, maxContains, prefixItems, items2020, contains, items07, additionalItems } =
  arrays
const { minProperties, maxProperties, required, dependentRequired, dependentSchemas, dependencies } = objects
const { properties, patternProperties, additionalProperties, propertyNames } = members
const { allOf, anyOf, oneOf, not, condition, consequence, alternative } = combinators

const numeric = [minimum, maximum, exclusiveMinimum, exclusiveMaximum, multipleOf]
const textual = [minLength, maxLength, pattern]
const conditional = [condition, consequence, alternative]

/** The vocabularies of 2020-12, in the order in which their keywords are checked: unevaluated ones last. */
export const vocabularies: readonly Vocabulary[] = [
  vocabulary('validation', [
    ...[type, enumeration, constant, ...numeric, ...textual],
    ...[minItems, maxItems, uniqueItems, minContains, maxContains],
    ...[required, dependentRequired, minProperties, maxProperties],
  ]),
  vocabulary('core', [
    ...[references.schemaUri, references.id2020, references.plainAnchor, references.dynamicAnchor, references.vocabulary],
    ...[references.comment, references.definitions, references.reference, references.dynamicReference],
  ]),
  vocabulary('applicator', [
    ...[prefixItems, items2020, contains, properties, patternProperties, additionalProperties, propertyNames],
    ...[dependentSchemas, allOf, anyOf, oneOf, not, ...conditional],
  ]),
  vocabulary('unevaluated', [unevaluated.unevaluatedProperties, unevaluated.unevaluatedItems]),
  vocabulary('meta-data', [
    ...[annotations.title, annotations.description, annotations.defaultValue, annotations.deprecated],
    ...[annotations.readOnly, annotations.writeOnly, annotations.examples],
  ]),
  vocabulary('format-annotation', [annotations.format]),
  vocabulary('content', [annotations.contentEncoding, annotations.contentMediaType, annotations.contentSchema]),
]

/** Keywords of earlier editions that 2020-12 still gives a shape. */
export const retiredKeywords: readonly Keyword[] = [references.definitions07, { name: 'dependencies', shape: dependencies.shape }]

export const keywords07: readonly Keyword[] = [
  ...[references.schemaUri, references.id07, references.comment, references.definitions07, references.reference],
  ...[
    type,
    enumeration,
    constant,
    ...numeric,
    ...textual,
    minItems,
    maxItems,
    uniqueItems,
    required,
    minProperties,
    maxProperties,
  ],
  ...[items07, additionalItems, contains, properties, patternProperties, additionalProperties, propertyNames, dependencies],
  ...[allOf, anyOf, oneOf, not, ...conditional],
  ...[annotations.title, annotations.description, annotations.defaultValue, annotations.readOnly, annotations.writeOnly],
  ...[annotations.examples, annotations.format, annotations.contentEncoding, annotations.contentMediaType],
]
