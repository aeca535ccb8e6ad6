import { cleanText } from './clean-text.js'

const tags = /<(\/?[A-Za-z][^<>]*)>/g

/**
 * A description as a model may read it beside those of other tools: cleaned, and without markup that could pass for the prompt's own.
 * Comments are removed, since a page would not show them; tags stay readable.
 */
export const plainDescription = (text: string): string => withoutComments(cleanText(text)).replaceAll(tags, '‹$1›').trim()

/** Also removes the comments that stand there only once others are removed, in one pass. */
function withoutComments(text: string): string {
  if (!text.includes('<!--')) return text
  const kept: string[] = []
  for (let at = 0; at < text.length; at++) {
    kept.push(text[at]!)
    if (text[at] !== '-' || kept.slice(-4).join('') !== '<!--') continue
    kept.length -= 4
    const end = text.indexOf('-->', at + 1)
    if (end < 0) break
    at = end + 2
  }
  return kept.join('')
}
