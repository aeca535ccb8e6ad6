import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { sizeText } from '../../src/parts/count-text.js'
import { guardFindings } from '../../src/results/GuardFindings.js'
import { linkTargetOf, misleadingLinkWarning } from '../../src/results/Link.js'
import { bytesOf, decodedSize, isAudio, isImage, isSvg } from '../../src/results/media.js'
import { tableData, tablesIn } from '../../src/results/table.js'
import type { Json } from '../../src/schemas/json.js'

describe('an address in a result', () => {
  it('can be opened only if it is a web page', () => {
    for (const address of [
      'javascript:alert(1)',
      'JavaScript:alert(1)',
      'data:text/html,<script>alert(1)</script>',
      'file:///etc/passwd',
      'vbscript:x',
      'blob:https://example.com/1',
      '//example.com',
      '/approvals',
      ' https://example.com',
      'https://example.com\\@evil.example',
      'https://exam\tple.com',
      'java\nscript:alert(1)',
      '',
    ])
      expect(linkTargetOf(address), address).toBeUndefined()
    expect(linkTargetOf('https://example.com/a?b#c')).toEqual({
      href: 'https://example.com/a?b#c',
      host: 'example.com',
      plain: false,
    })
  })

  it('never leads to code, whatever its parts', () => {
    fc.assert(
      fc.property(
        fc.tuple(fc.constantFrom('javascript:', 'data:', ' java\tscript:', 'https:', 'http://'), fc.string()),
        ([scheme, rest]) => {
          const leads = linkTargetOf(scheme + rest)
          if (leads) expect(leads.href).toMatch(/^https?:\/\//)
        },
      ),
    )
  })

  it('has a warning if it resembles another address', () => {
    expect(misleadingLinkWarning('https://google.com@evil.example/')).toContain('evil.example')
    expect(misleadingLinkWarning('https://xn--pple-43d.com/')).toContain('xn--pple-43d.com')
    expect(misleadingLinkWarning('https://аpple.com/')).toContain('xn--')
    expect(misleadingLinkWarning('http://example.com/')).toContain('not encrypted')
    expect(misleadingLinkWarning('https://example.com/')).toBeUndefined()
  })
})

describe('pictures and sounds', () => {
  it('are shown only in formats that cannot contain code', () => {
    expect(['image/png', 'IMAGE/JPEG', 'image/webp; q=1'].every(isImage)).toBe(true)
    expect(['image/svg+xml', 'text/html', 'image/png,text/html', ''].some(isImage)).toBe(false)
    expect(isSvg('image/svg+xml;charset=utf-8')).toBe(true)
    expect(isAudio('audio/wav')).toBe(true)
    expect(['video/mp4', 'audio/', 'audio/x y'].some(isAudio)).toBe(false)
  })

  it('have exactly the bytes that were sent', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 100 }), (bytes) => {
        const base64 = Buffer.from(bytes).toString('base64')
        expect(bytesOf(base64)).toEqual(bytes)
        expect(decodedSize(base64)).toBe(bytes.length)
      }),
    )
    expect(bytesOf('not base64!')).toBeUndefined()
  })

  it('have readable sizes', () => {
    expect([0, 1, 1023, 1024, 1536, 20 * 1024, 5 * 1024 ** 2].map(sizeText)).toEqual([
      '0 bytes',
      '1 byte',
      '1,023 bytes',
      '1.0 KiB',
      '1.5 KiB',
      '20 KiB',
      '5.0 MiB',
    ])
  })
})

describe('structured content', () => {
  it('is a table if it is a list of objects, with a column for every field', () => {
    expect(tableData([{ a: 1 }, { b: null, a: 2 }])).toEqual({
      columns: ['a', 'b'],
      rows: [
        [1, undefined],
        [2, null],
      ],
    })
    for (const other of [[], [1], [{}], {}, null, [{ a: 1 }, [2]]] as Json[]) expect(tableData(other)).toBeUndefined()
  })

  it('can contain nested tables', () => {
    expect(tablesIn({ total: 2, rows: [{ a: 1 }], names: ['x'] }).map(({ name }) => name)).toEqual(['rows'])
  })

  it('has only fields that were sent', () => {
    expect(tableData([JSON.parse('{"constructor":1}'), { a: 1 }])?.rows[1]).toEqual([undefined, 1])
  })
})

describe('the findings of the guard', () => {
  it('say what was removed, and what is still there', () => {
    const findings = [
      { rule: 'invisible', action: 'strip', count: 4 },
      { rule: 'own', action: 'flag', count: 1, kinds: ['a', 7] },
      'no',
    ]
    expect(guardFindings({ _meta: { 'dev.toolwire/findings': findings } } as Json)).toEqual([
      { words: 'invisible characters', taken: true, count: 4, kinds: [] },
      { words: 'own', taken: false, count: 1, kinds: ['a'] },
    ])
    expect(guardFindings({ content: [] })).toEqual([])
    expect(guardFindings({ _meta: { 'dev.toolwire/findings': 'none' } })).toEqual([])
  })
})
