import { keyword } from '../dialects/keyword.js'
import { anything, flag, schema, text, values } from '../dialects/shapes.js'

/** Keywords that tell and do not assert; `format` is one of them, in both dialects. */
export const title = keyword('title', text)
export const description = keyword('description', text)
export const defaultValue = keyword('default', anything)
export const deprecated = keyword('deprecated', flag)
export const readOnly = keyword('readOnly', flag)
export const writeOnly = keyword('writeOnly', flag)
export const examples = keyword('examples', values)
export const format = keyword('format', text)
export const contentEncoding = keyword('contentEncoding', text)
export const contentMediaType = keyword('contentMediaType', text)
export const contentSchema = keyword('contentSchema', schema)
