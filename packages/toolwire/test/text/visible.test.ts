import { describe, expect, it } from 'vitest'
import { visible, visibleLine } from '../../src/text/visible.js'

describe('visible text', () => {
  it('escapes everything invisible, and keeps line ends and tabs', () => {
    const hidden =
      '\0\u001b\u007f\u009b\u00a0\u00ad\u200b\u200d\u2028\u202e\u2066\u3000\u3164\ufe0f\ufeff\ud800\ue000\u{e0041}\u{10ffff}'
    expect(visible(`a\n\t${hidden}`)).toMatch(/^a\n\t(\\u\{[0-9a-f]+\}){19}$/)
  })

  it('keeps letters of all scripts', () => {
    for (const text of ['naïve', 'שלום', 'مرحبا', '日本語', '😀', 'e\u0301']) expect(visible(text)).toBe(text)
  })

  it('keeps a reason on one line of a log, without colours', () => {
    expect(visibleLine('no\r\nERROR \u001b[31mforged\t\u0085')).toBe('no\\u{d}\\u{a}ERROR \\u{1b}[31mforged\\u{9}\\u{85}')
  })
})
