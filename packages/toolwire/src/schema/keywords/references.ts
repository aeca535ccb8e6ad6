import { keyword } from '../dialects/keyword.js'
import { anchor, flags, identifier, schemaMap, text, uriReference } from '../dialects/shapes.js'

export const references = [
  keyword('$schema', text),
  keyword('$id', identifier),
  keyword('$anchor', anchor),
  keyword('$dynamicAnchor', anchor),
  keyword('$vocabulary', flags),
  keyword('$comment', text),
  keyword('$defs', schemaMap),
  keyword('$ref', uriReference, (target, site) => site.reference(target)),
  keyword('$dynamicRef', uriReference, (target, site) => site.dynamicReference(target)),
]

export const id07 = keyword('$id', uriReference)
export const definitions07 = keyword('definitions', schemaMap)
