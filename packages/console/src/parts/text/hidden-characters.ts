import { hiddenCharacters } from '../../../../toolwire/src/text/visible.js'

/** A stretch of plain text, or one hidden character with its mark. */
type TextPiece = { readonly text: string } | { readonly mark: string; readonly name: string }

/** Splits a text into pieces, without leaving anything out. */
export function textPieces(text: string): TextPiece[] {
  const pieces: TextPiece[] = []
  let from = 0
  for (const { 0: character, index } of text.matchAll(hiddenCharacters())) {
    if (index > from) pieces.push({ text: text.slice(from, index) })
    pieces.push(markOf(character))
    from = index + character.length
  }
  if (from < text.length) pieces.push({ text: text.slice(from) })
  return pieces
}

/** Cuts a text after `most` characters. */
export const shortened = (text: string, most: number): string => (text.length > most ? `${text.slice(0, most)}…` : text)

/** The text on one line with marks for hidden characters, for places without markup. */
export const markedText = (text: string): string =>
  textPieces(text)
    .map((piece) => ('mark' in piece ? piece.mark : piece.text))
    .join('')

function markOf(character: string): TextPiece {
  const code = character.codePointAt(0) ?? 0
  const mark = `⟨U+${code.toString(16).toUpperCase().padStart(4, '0')}⟩`
  return { mark, name: nameOf(code) }
}

const names: { readonly [code: number]: string } = {
  0: 'null',
  7: 'bell',
  8: 'backspace',
  13: 'carriage return',
  27: 'escape',
  127: 'delete',
  160: 'no-break space',
  173: 'soft hyphen',
  8203: 'zero-width space',
  8204: 'zero-width non-joiner',
  8205: 'zero-width joiner',
  8206: 'left-to-right mark',
  8207: 'right-to-left mark',
  8232: 'line separator',
  8233: 'paragraph separator',
  8234: 'begins left-to-right text',
  8235: 'begins right-to-left text',
  8236: 'ends a change of direction',
  8237: 'forces left-to-right',
  8238: 'forces right-to-left: shows the following text backwards',
  8288: 'word joiner',
  8294: 'begins isolated left-to-right text',
  8295: 'begins isolated right-to-left text',
  8296: 'begins isolated text',
  8297: 'ends isolated text',
  65279: 'byte order mark',
}

function nameOf(code: number): string {
  const name = names[code]
  if (name) return name
  if (code < 32 || (code > 126 && code < 160)) return 'control character'
  if (code >= 0xe0000 && code <= 0xe007f) return 'tag character: invisible text that a model reads'
  if (code >= 0xd800 && code <= 0xdfff) return 'unpaired surrogate'
  if ((code >= 0xfe00 && code <= 0xfe0f) || (code >= 0xe0100 && code <= 0xe01ef)) return 'picks a form of the character before it'
  return 'invisible character'
}
