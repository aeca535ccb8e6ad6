import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { markedText, textPieces } from '../../src/parts/text/Text.js'

describe('hidden characters', () => {
  it('are marked one by one with their code point', () => {
    expect(markedText('a\u202Eb\u200B\u200Dc\0')).toBe('a⟨U+202E⟩b⟨U+200B⟩⟨U+200D⟩c⟨U+0000⟩')
  })

  it('have a name that says what they do', () => {
    expect(textPieces('\u202E')).toEqual([{ mark: '⟨U+202E⟩', name: 'forces right-to-left: shows the following text backwards' }])
    expect(textPieces('\u{E0041}')[0]).toMatchObject({ mark: '⟨U+E0041⟩', name: /tag character/ })
    expect(textPieces('\uD800')[0]).toMatchObject({ mark: '⟨U+D800⟩', name: 'unpaired surrogate' })
    expect(textPieces('\u0085')[0]).toMatchObject({ name: 'control character' })
    expect(textPieces('\uFE0F')[0]).toMatchObject({ name: /picks a form/ })
  })

  it.each([
    ['letters of other scripts', 'Grüße שלום 你好 नमस्ते'],
    ['pictures', '😀🚀'],
    ['line breaks and tabs', 'a\n\tb'],
  ])('are not %s', (_, text) => {
    expect(textPieces(text)).toEqual([{ text }])
  })

  it('include unusual spaces', () => {
    expect(markedText('a\u00A0b\u3000c d')).toBe('a⟨U+00A0⟩b⟨U+3000⟩c d')
  })

  it('are the only difference between a text and its marked form', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        const back = textPieces(text).map((piece) =>
          'text' in piece ? piece.text : String.fromCodePoint(Number.parseInt(piece.mark.slice(3, -1), 16)),
        )
        expect(back.join('')).toBe(text)
        expect(markedText(text)).not.toMatch(/(?![\n\t ])[\p{C}\p{Z}\p{Default_Ignorable_Code_Point}]/u)
      }),
    )
  })
})
