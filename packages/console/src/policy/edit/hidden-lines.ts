import { markedText, textPieces } from '../../parts/text/Text.js'

/** Lines of a text with characters in them that nobody sees while typing. */
export function hiddenLines(text: string): readonly { readonly line: number; readonly message: string }[] {
  return text.split('\n').flatMap((line, index) => {
    const marks = textPieces(line).flatMap((piece) => ('mark' in piece ? [`${piece.mark}, ${piece.name}`] : []))
    if (marks.length === 0) return []
    const more = marks.length > 1 ? ` and ${marks.length - 1} more` : ''
    return [{ line: index + 1, message: `has a hidden character: ${markedText(marks[0] ?? '')}${more}` }]
  })
}
