import { keyword } from '../dialects/keyword.js'
import { anything, flag, schema, text, values } from '../dialects/shapes.js'

/** Keywords that annotate and never assert. `format` is an annotation in both dialects. */
export const annotations = [
  ...[keyword('title', text), keyword('description', text), keyword('default', anything), keyword('deprecated', flag)],
  ...[keyword('readOnly', flag), keyword('writeOnly', flag), keyword('examples', values)],
]
export const format = keyword('format', text)
export const content = [keyword('contentEncoding', text), keyword('contentMediaType', text), keyword('contentSchema', schema)]
