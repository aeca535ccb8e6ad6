import { cleanText } from './clean-text.js'

const comments = /<!--[\s\S]*?(?:-->|$)/g
const tags = /<(\/?[A-Za-z][^<>]*)>/g

/**
 * A description as a model may read it beside those of other tools: cleaned, and without markup that could pass for the prompt's own.
 * Comments are removed, since a page would not show them; tags stay readable.
 */
export const plainDescription = (text: string): string => cleanText(text).replaceAll(comments, '').replaceAll(tags, '‹$1›').trim()
