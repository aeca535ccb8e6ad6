import { keyword } from '../dialects/keyword.js'
import { anchor, flags, identifier, schemaMap, text, uriReference } from '../dialects/shapes.js'

export const schemaUri = keyword('$schema', text)
export const id2020 = keyword('$id', identifier)
export const id07 = keyword('$id', uriReference)
export const plainAnchor = keyword('$anchor', anchor)
export const dynamicAnchor = keyword('$dynamicAnchor', anchor)
export const vocabulary = keyword('$vocabulary', flags)
export const comment = keyword('$comment', text)
export const definitions = keyword('$defs', schemaMap)
export const definitions07 = keyword('definitions', schemaMap)

export const reference = keyword('$ref', uriReference, (target, site) => site.reference(target))
export const dynamicReference = keyword('$dynamicRef', uriReference, (target, site) => site.dynamicReference(target))
